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

    /// Removes the rows of a condition, and returns their number.
    ///
    /// - Parameters:
    ///   - key: The columns of the table's primary key.
    ///   - condition: The condition, ending with an order and a limit.
    func removePiece(of table: String, key: [KeyColumn], where condition: SQLText) throws -> Int {
        if let (before, after) = dialect.removingPiece(of: table) {
            return try execute("DELETE FROM \(names: table)\(names: before)\(condition)\(names: after)")
        }
        let columns = key.map(\.name).joined(separator: ", ")
        let rows = try all("SELECT \(names: columns) FROM \(names: table) WHERE \(condition)") { row in
            key.enumerated().map { $0.element.binding(row, $0.offset) }
        }
        let builder = SQLBulkBuilder(dialect, key.map(\.type))
        let isRow = key.enumerated().map { "\($0.element.name) = \(builder.value($0.offset))" }
        try runEach(builder.delete(from: table, where: isRow.joined(separator: " AND ")), count: rows.count) {
            place, run in
            for bind in rows[place] { bind(run) }
        }
        return rows.count
    }
}
