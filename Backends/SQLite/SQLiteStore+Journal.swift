public import Backstitch
import BackstitchSQL

extension SQLiteStore: JournalingStore {
    /// Runs `body` on one snapshot of the store. The journal that `body` is given throws once `body` has returned.
    public func readJournal<Result>(_ body: (any JournalReading) throws -> Result) throws -> Result {
        try database.read(isSnapshot: true) { connection in
            let journal = SQLJournal(connection, statements: statements, isWritable: false)
            defer { journal.close() }
            return try database.inJournal { try body(journal) }
        }
    }

    /// Runs `body` in one transaction, which is undone if it throws. The journal that `body` is given throws once
    /// `body` has returned.
    ///
    /// Do not call ``save(_:)`` or `writeJournal` of the same store inside: they throw.
    public func writeJournal<Result>(
        author: String, _ body: (any JournalWriting) throws -> Result
    ) throws -> Result {
        let timestamp = configuration.clock.milliseconds()
        return try content.naming(configuration.storedModel.hasExternalColumns) {
            try write(author, timestamp, body)
        }
    }

    /// Under `NORMAL`, waits until the log is on the disk. Under `FULL` each commit has waited; under `OFF` nothing is sure anyway.
    public func makeDurable() throws {
        guard configuration.url != nil, SQLiteOptions(configuration).synchronous == .normal else { return }
        try database.readDurably { _ in }
    }

    private func write<Result>(
        _ author: String, _ timestamp: Int64, _ body: (any JournalWriting) throws -> Result
    ) throws -> Result {
        try own { token in
            try database.write { connection in
                let journal = SQLJournal(connection, statements: statements, isWritable: true)
                defer { journal.close() }
                let result = try database.inJournal { try body(journal) }
                return (result, try journal.finish(author: author, timestamp: timestamp, token: token))
            }
        }
    }
}
