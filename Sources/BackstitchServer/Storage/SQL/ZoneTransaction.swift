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

    /// Removes the rows of a zone with one of these texts in a column.
    ///
    /// The rows are looked up text by text. For a list, a database without statistics would read all rows of the zone.
    ///
    /// - Parameter condition: A further condition for the rows.
    func remove(
        _ column: String, _ texts: [String], from table: String, in zone: (tenantID: Int64, zoneID: Int64),
        and condition: String = ""
    ) throws {
        let texts = texts.filter { !$0.utf8.contains(0) }
        let builder = SQLBulkBuilder(dialect, [.integer, .integer, .text])
        let removal = builder.delete(
            from: table,
            where: "tenant_id = \(builder.value(0)) AND zone_id = \(builder.value(1)) "
                + "AND \(column) = \(builder.value(2))\(condition)")
        try runEach(removal, count: texts.count) { place, parameters in
            parameters.bind(zone.tenantID, at: 1)
            parameters.bind(zone.zoneID, at: 2)
            parameters.bind(texts[place], at: 3)
        }
    }
}
