import BackstitchSQL
import CloudWire

/// One transaction or snapshot of a storage.
///
/// Its statements are the same for every database. For the differences they ask the dialect.
struct SQLTransaction: ZoneWriting {
    let connection: any SQLConnection
    let dialect: any SQLDialect
    /// The counter of changed rows; nil in a snapshot, which has no commit.
    let written: WrittenRows?

    init(_ connection: any SQLConnection, _ written: WrittenRows? = nil) {
        self.connection = connection
        dialect = connection.dialect
        self.written = written
    }

    /// Runs a statement, and returns the number of changed rows.
    @discardableResult
    func execute(_ text: SQLText) throws -> Int {
        let changed = try connection.run(text.statement(dialect))
        written?.count += changed
        return changed
    }

    /// The first row of a query; nil if there is none.
    func one<Value>(_ text: SQLText, _ read: (any SQLRow) throws -> Value) throws -> Value? {
        var value: Value?
        try connection.forEachRow(of: text.statement(dialect)) { row in
            if value == nil { value = try read(row) }
        }
        return value
    }

    /// All rows of a query, in the order of the query.
    func all<Value>(_ text: SQLText, _ read: (any SQLRow) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        try connection.forEachRow(of: text.statement(dialect)) { values.append(try read($0)) }
        return values
    }

    /// The rows that a changing statement returns. They count as changed.
    func changed<Value>(_ text: SQLText, _ read: (any SQLRow) throws -> Value) throws -> [Value] {
        let values = try all(text, read)
        written?.count += values.count
        return values
    }

    /// Runs a statement once for each of `count` rows.
    func runEach(_ statement: SQLBulkStatement, count: Int, bind: (Int, any SQLBinder) -> Void) throws {
        guard count > 0 else { return }
        try connection.runEach(statement, count: count, bind: bind) { _, _ in }
        written?.count += count
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

    /// Texts for a look-up, as one parameter; see `SQLText`.
    ///
    /// Texts with U+0000 are left out. No row has such a text, and some databases refuse it.
    func list(_ texts: [String]) throws -> String {
        var list = JSONWriter()
        list.beginArray()
        for text in texts where !text.utf8.contains(0) { list.string(text) }
        list.endArray()
        return String(decoding: try list.finish(), as: UTF8.self)
    }

    /// Whether rows must be locked. If only one transaction writes at a time, the transaction itself is the lock.
    var hasOtherWriters: Bool { !dialect.rowLock(.noKeyUpdate, of: nil).isEmpty }
}
