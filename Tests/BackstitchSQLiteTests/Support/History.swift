import Backstitch
import BackstitchSQL

@testable import BackstitchSQLite

/// A row of history, as the tests read it.
struct HistoryRow: Equatable {
    var number: Int64
    var entity: String
    var key: ObjectKey
    /// 0 inserted, 1 updated, 2 deleted.
    var kind: Int64
    var properties: String?
}

extension SQLiteStore {
    /// All of history, oldest first.
    func history() throws -> [HistoryRow] {
        var rows: [HistoryRow] = []
        try database.read(isSnapshot: false) { connection in
            let query =
                "SELECT transaction_number, entity, keys, kind, properties FROM backstitch_change "
                + "ORDER BY transaction_number, position"
            try connection.forEachRow(of: SQLStatement(.sqlite, query)) { row in
                let keys = row.bytes(2)
                for start in stride(from: 0, to: keys.count, by: 16) {
                    let key = keys[start..<start + 16].withUnsafeBytes { ObjectKey(bigEndianBytes: $0) }
                    rows.append(
                        HistoryRow(
                            number: row.int(0), entity: row.text(1), key: key, kind: row.int(3),
                            properties: row.optionalText(4)))
                }
            }
        }
        return rows
    }

    /// Number, time, author and context of each transaction.
    func transactions() throws -> [[String]] {
        var rows: [[String]] = []
        try database.read(isSnapshot: false) { connection in
            let query = "SELECT number, timestamp, author, context FROM backstitch_transaction ORDER BY number"
            try connection.forEachRow(of: SQLStatement(.sqlite, query)) { row in
                rows.append([
                    "\(row.int(0))", "\(row.int(1))", row.optionalText(2) ?? "nil", row.optionalText(3) ?? "nil",
                ])
            }
        }
        return rows
    }
}
