import Backstitch
import Foundation

/// Deletes old history, and stores the number of the last deleted transaction.
struct HistoryPurge {
    private static let key = "history.purged"
    private let connection: any SQLConnection

    init(_ connection: any SQLConnection) { self.connection = connection }

    /// The number of the last deleted transaction; 0 when history is complete.
    func number() throws -> Int64 {
        guard let value = try MetadataTable(connection).value(for: Self.key) else { return 0 }
        if let number = Int64(String(decoding: value, as: UTF8.self)) { return number }
        throw BackstitchError(
            .storeFailure, "the store's \"\(Self.key)\" is not a number; restore the store", key: Self.key)
    }

    /// Deletes transactions older than a date, up to a number. Stops at the first younger transaction. Returns the
    /// number of deleted transactions.
    func purge(through number: Int64, before date: Date) throws -> Int {
        let last = try lastNumber(through: number, before: date.milliseconds)
        guard last > (try self.number()) else { return 0 }
        try MetadataTable(connection).set(Data("\(last)".utf8), for: Self.key)
        try delete(from: SystemTables.change, column: "transaction_number", through: last)
        return try delete(from: SystemTables.transaction, column: "number", through: last)
    }

    /// The last transaction to delete: the one before the first younger one, but none after `number` or the newest.
    private func lastNumber(through number: Int64, before time: Int64) throws -> Int64 {
        var statement = SQLStatement(
            connection.dialect,
            "SELECT MIN(number) FROM \(SystemTables.transaction) WHERE timestamp >= ")
        statement.append(.int(time))
        var younger: Int64?
        try connection.forEachRow(of: statement) { younger = $0.isNull(0) ? nil : $0.int(0) }
        let newest = try HistoryWriter(connection).lastNumber()
        return min(number, newest, younger.map { $0 - 1 } ?? .max)
    }

    @discardableResult
    private func delete(from table: String, column: String, through number: Int64) throws -> Int {
        var count = 0
        var statement = SQLStatement(connection.dialect, "DELETE FROM \(table) WHERE \(column) <= ")
        statement.append(.int(number))
        statement.append(" RETURNING 1")
        try connection.forEachRow(of: statement) { _ in count += 1 }
        return count
    }
}
