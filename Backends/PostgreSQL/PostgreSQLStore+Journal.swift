public import Backstitch
import BackstitchSQL

extension PostgreSQLStore: JournalingStore {
    /// Runs `body` on one snapshot of the store. The journal that `body` is given throws once `body` has returned.
    public func readJournal<Result>(_ body: (any JournalReading) throws -> Result) throws -> Result {
        try database.readOnce { connection in
            let journal = SQLJournal(connection, statements: statements, isWritable: false)
            defer { journal.close() }
            return try JournalNesting.run(in: database) { try body(journal) }
        }
    }

    /// Runs `body` in one transaction, which is undone if it throws. The journal that `body` is given throws once
    /// `body` has returned.
    ///
    /// Others who write history wait meanwhile, so what `body` reads stays as it is until its end. Do not call ``save(_:)`` or
    /// `writeJournal` of the same store inside: they throw.
    public func writeJournal<Result>(
        author: String, _ body: (any JournalWriting) throws -> Result
    ) throws -> Result {
        let timestamp = configuration.clock.milliseconds()
        let token = configuration.generator.next()
        return try announced(token) {
            try database.writeOnce(token: token) { connection in
                if configuration.storedModel.hasExternalColumns { try shareAssets(on: connection) }
                try TransactionToken(connection).lock()
                let journal = SQLJournal(connection, statements: statements, isWritable: true)
                defer { journal.close() }
                let result = try JournalNesting.run(in: database) { try body(journal) }
                let number = try journal.finish(author: author, timestamp: timestamp, token: token)
                return (result, number)
            } number: {
                $0.1
            }
        }
    }
}
