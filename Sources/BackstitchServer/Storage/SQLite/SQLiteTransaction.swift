import CloudWire
import Foundation
import GRDB

/// One transaction or snapshot of a SQLite storage.
struct SQLiteTransaction: ZoneWriting {
    let db: Database
    /// Nil in a snapshot, which has no commit.
    private let actions: CommitActions?

    init(_ db: Database, _ actions: CommitActions? = nil) {
        self.db = db
        self.actions = actions
    }

    func execute(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    func one<Value>(_ sql: String, _ arguments: StatementArguments, _ read: (Row) throws -> Value) throws -> Value? {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        return try rows.next().map(read)
    }

    func all<Value>(_ sql: String, _ arguments: StatementArguments, _ read: (Row) throws -> Value) throws -> [Value] {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        var result: [Value] = []
        while let row = try rows.next() { result.append(try read(row)) }
        return result
    }

    /// Texts as one argument, for `json_each`.
    func list(_ texts: [String]) throws -> String {
        var list = JSONWriter()
        list.beginArray()
        for text in texts { list.string(text) }
        list.endArray()
        return String(decoding: try list.finish(), as: UTF8.self)
    }

    func afterCommit(_ action: @escaping @Sendable () -> Void) {
        actions?.append(action)
    }
}
