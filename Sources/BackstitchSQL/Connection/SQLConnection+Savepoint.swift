extension SQLConnection {
    /// Runs `body` within the transaction; if it throws, what it wrote is undone, and the transaction goes on.
    ///
    /// - Throws: what `body` throws; ``TransactionFailure`` when the database has given up the transaction along with
    ///   it.
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
