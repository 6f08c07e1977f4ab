import Backstitch
import BackstitchSQL
import GRDBSQLite

/// The present row of a running statement.
final class SQLiteRow: SQLRow {
    private let pointer: OpaquePointer

    init(_ statement: PreparedStatement) { pointer = statement.pointer }

    func isNull(_ column: Int) -> Bool { sqlite3_column_type(pointer, Int32(column)) == SQLITE_NULL }

    func int(_ column: Int) -> Int64 { sqlite3_column_int64(pointer, Int32(column)) }

    func double(_ column: Int) -> Double { sqlite3_column_double(pointer, Int32(column)) }

    func text(_ column: Int) -> String {
        // The text is read before its length, because reading it may convert the column.
        let text = sqlite3_column_text(pointer, Int32(column))
        let count = Int(sqlite3_column_bytes(pointer, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: text, count: text == nil ? 0 : count), as: UTF8.self)
    }

    func bytes(_ column: Int) -> [UInt8] {
        let bytes = sqlite3_column_blob(pointer, Int32(column))
        let count = Int(sqlite3_column_bytes(pointer, Int32(column)))
        return Array(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
    }

    func key(_ column: Int) throws -> ObjectKey {
        guard let bytes = sqlite3_column_blob(pointer, Int32(column)),
            sqlite3_column_bytes(pointer, Int32(column)) == 16
        else { throw SQLiteRowDecoder.damaged("a key has not 16 bytes") }
        return ObjectKey(bigEndianBytes: UnsafeRawBufferPointer(start: bytes, count: 16))
    }
}
