extension SQLConnection {
    /// Runs `body` within the transaction. If it throws, its writes are undone, and the transaction continues.
    ///
    /// - Throws: The error of `body`; ``TransactionFailure`` when the database has given up the whole transaction.
    package func inSavepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try run(SQLStatement(dialect, "SAVEPOINT backstitch_part"))
        do {
            let result = try body()
            try run(SQLStatement(dialect, "RELEASE SAVEPOINT backstitch_part"))
            return result
        } catch let reason {
            do {
                try run(SQLStatement(dialect, "ROLLBACK TO SAVEPOINT backstitch_part"))
                try run(SQLStatement(dialect, "RELEASE SAVEPOINT backstitch_part"))
            } catch { throw TransactionFailure(.undone, cause: reason) }
            throw reason
        }
    }
}
