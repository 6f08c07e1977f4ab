public import Backstitch
import BackstitchSQL

extension SQLiteStore: JournalingStore {
    /// Runs `body` on one snapshot of the store. What it is given throws once it has returned.
    public func readJournal<Result>(_ body: (any JournalReading) throws -> Result) throws -> Result {
        try database.read(isSnapshot: true) { connection in
            let journal = SQLJournal(connection, model: configuration.model, isWritable: false)
            defer { journal.close() }
            return try database.inJournal { try body(journal) }
        }
    }

    /// Runs `body` in one transaction, which is undone if it throws. What it is given throws once it has returned.
    ///
    /// Do not call ``save(_:)`` or `writeJournal` of the same store inside: they throw.
    public func writeJournal<Result>(
        author: String, _ body: (any JournalWriting) throws -> Result
    ) throws -> Result {
        let timestamp = configuration.clock.milliseconds()
        return try own { token in
            try database.write { connection in
                let journal = SQLJournal(connection, model: configuration.model, isWritable: true)
                defer { journal.close() }
                let result = try database.inJournal { try body(journal) }
                return (result, try journal.finish(author: author, timestamp: timestamp, token: token))
            }
        }
    }
}
