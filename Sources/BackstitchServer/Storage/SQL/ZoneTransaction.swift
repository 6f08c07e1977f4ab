import BackstitchSQL

/// The reads and writes of one transaction of a storage. It can be given to each function that takes a snapshot.
final class ZoneTransaction: ZoneSnapshot {
    let connection: any SQLConnection
    /// The number of rows changed so far, without the changes of triggers.
    private(set) var changedRows = 0

    override init(_ connection: any SQLConnection) {
        self.connection = connection
        super.init(connection)
    }

    /// Keeps assets until the end of the transaction, when the records with them are written.
    override var assetLock: SQLText { "\(lock: .keyShare)" }

    /// Runs a statement, and returns the number of changed rows.
    @discardableResult
    func execute(_ text: SQLText) throws -> Int {
        let changed = try connection.run(text.statement(dialect))
        changedRows += changed
        return changed
    }

    /// The rows that a changing statement returns. They count as changed.
    func changed<Value>(_ text: SQLText, _ read: (any SQLRow) throws -> Value) throws -> [Value] {
        let values = try all(text, read)
        changedRows += values.count
        return values
    }

    /// Runs a statement once for each of `count` rows.
    func runEach(_ statement: SQLBulkStatement, count: Int, bind: (Int, any SQLBinder) -> Void) throws {
        guard count > 0 else { return }
        try connection.runEach(statement, count: count, bind: bind) { _, _ in }
        changedRows += count
    }

    /// Removes the rows of a zone with one of these texts in a column. The zone is locked.
    ///
    /// - Parameter condition: The zone, and further conditions for the rows.
    func remove(_ column: String, _ texts: [String], from table: String, where condition: SQLText) throws {
        guard !texts.isEmpty else { return }
        let removal: SQLText = "\(removing: table, where: column, isOneOf: try list(texts), and: condition)"
        try execute("DELETE FROM \(names: table)\(removal)")
    }
}
