import BackstitchSQL
import CloudWire

/// The reads of a storage. All of them see one state of it.
///
/// A snapshot has no statement that writes; those are in ``ZoneTransaction``. The statements are the same for every
/// database. For the differences they ask the dialect.
class ZoneSnapshot {
    let dialect: any SQLDialect
    /// The connection, for the queries below only.
    private let reader: any SQLConnection

    init(_ connection: any SQLConnection) {
        reader = connection
        dialect = connection.dialect
    }

    /// The lock that a read takes on assets. A snapshot takes none: it writes no records with them.
    var assetLock: SQLText { "" }

    /// The first row of a query; nil if there is none.
    func one<Value>(_ text: SQLText, _ read: (any SQLRow) throws -> Value) throws -> Value? {
        var value: Value?
        try forEachRow(of: text) { row in
            if value == nil { value = try read(row) }
        }
        return value
    }

    /// All rows of a query, in the order of the query.
    func all<Value>(_ text: SQLText, _ read: (any SQLRow) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        try forEachRow(of: text) { values.append(try read($0)) }
        return values
    }

    /// Runs a query, and calls `body` for each row.
    func forEachRow(of text: SQLText, _ body: (any SQLRow) throws -> Void) throws {
        try reader.forEachRow(of: text.statement(dialect), body)
    }

    /// Runs a query, and calls `body` for each row until it returns false. A database behind a network sends `size`
    /// rows at a time.
    func forEachRow(of text: SQLText, inPortionsOf size: Int, while body: (any SQLRow) throws -> Bool) throws {
        try reader.forEachRow(of: text.statement(dialect), inPortionsOf: size, while: body)
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
