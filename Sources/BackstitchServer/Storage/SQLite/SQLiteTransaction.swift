import CloudWire
import Foundation
import GRDB

/// One transaction or snapshot of a SQLite storage.
struct SQLiteTransaction: ZoneWriting {
    let db: Database

    init(_ db: Database) {
        self.db = db
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

    func afterCommit(_ action: @escaping @Sendable () -> Void) {
        db.afterNextTransaction { _ in action() }
    }
}
