import Backstitch
import BackstitchSQL
import Foundation
import GRDBSQLite

/// A prepared statement: it takes its parameters, and is the row that it is at.
final class MarbleStatement: SQLRow, SQLBinder {
    private let handle: OpaquePointer
    private let connection: OpaquePointer
    private var bindingCode = SQLITE_OK
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ text: String, on connection: OpaquePointer) throws {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, text, -1, &handle, nil)
        guard code == SQLITE_OK, let handle else { throw MarbleFailure(code, on: connection) }
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    /// Moves to the next row, if there is one.
    func step() throws -> Bool {
        guard bindingCode == SQLITE_OK else { throw MarbleFailure(bindingCode, on: connection) }
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw MarbleFailure(code, on: connection)
    }

    /// Runs it to its end, and gives how many rows it changed.
    func runOnce() throws -> Int {
        defer { sqlite3_reset(handle) }
        while try step() {}
        return Int(sqlite3_changes(connection))
    }

    // MARK: Its row

    func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }

    func int(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

    /// NaN is kept as the eight bytes of its bits.
    func double(_ column: Int) -> Double {
        guard sqlite3_column_type(handle, Int32(column)) == SQLITE_BLOB else {
            return sqlite3_column_double(handle, Int32(column))
        }
        return Double(bitPattern: bytes(column).reduce(0) { $0 << 8 | UInt64($1) })
    }

    func text(_ column: Int) -> String { String(decoding: bytes(column), as: UTF8.self) }

    func bytes(_ column: Int) -> [UInt8] {
        let start = sqlite3_column_blob(handle, Int32(column))
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
    }

    func key(_ column: Int) throws -> ObjectKey {
        let bytes = bytes(column)
        guard bytes.count == 16 else { throw BackstitchError(.storeFailure, "a key has not 16 bytes") }
        return bytes.withUnsafeBytes { ObjectKey(bigEndianBytes: $0) }
    }

    /// Appends the row of an entity: key, version, then its cells.
    func append(_ entity: ResolvedEntity, from first: Int, to builder: inout RowBatchBuilder) throws {
        builder.beginRow(key: try key(first), version: int(first + 1))
        for (index, form) in entity.cellForms.enumerated() {
            let column = first + 2 + index
            if isNull(column) {
                builder.appendNull()
                continue
            }
            switch form {
            case .integer: builder.append(int: int(column))
            case .double: builder.append(double: double(column))
            case .text, .bytes: bytes(column).withUnsafeBytes { builder.append(bytes: $0) }
            case .key: builder.append(key: try key(column))
            }
        }
    }

    // MARK: Its parameters

    func bind(_ value: Int64, at position: Int) { keep(sqlite3_bind_int64(handle, Int32(position), value)) }

    func bind(_ value: String?, at position: Int) {
        guard var value else { return bindNull(at: position) }
        if value.isEmpty { return keep(sqlite3_bind_text(handle, Int32(position), "", 0, Self.copied)) }
        value.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) {
                keep(
                    sqlite3_bind_text64(
                        handle, Int32(position), $0.baseAddress, UInt64($0.count), Self.copied, UInt8(SQLITE_UTF8)))
            }
        }
    }

    func bind(_ value: [UInt8]?, at position: Int) {
        guard let value else { return bindNull(at: position) }
        if value.isEmpty { return keep(sqlite3_bind_zeroblob(handle, Int32(position), 0)) }
        keep(sqlite3_bind_blob64(handle, Int32(position), value, UInt64(value.count), Self.copied))
    }

    func bind(_ value: ObjectKey, at position: Int) { bind(value.withBytes { Array($0) }, at: position) }

    func bind(_ value: Value, at position: Int) {
        switch value {
        case .null: bindNull(at: position)
        case .bool(let value): bind(value ? 1 : 0 as Int64, at: position)
        case .int(let value): bind(value, at: position)
        case .double(let value) where value.isNaN:
            bind(withUnsafeBytes(of: value.bitPattern.bigEndian) { Array($0) }, at: position)
        case .double(let value): keep(sqlite3_bind_double(handle, Int32(position), value))
        case .decimal(let value): bind(value.canonicalText, at: position)
        case .string(let value): bind(value, at: position)
        case .date(let value): bind(value.milliseconds, at: position)
        case .data(let value): bind(Array(value), at: position)
        case .uuid(let value): bind(ObjectKey(value), at: position)
        case .uri(let value): bind(value.absoluteString, at: position)
        case .asset(let value): bind(value.text, at: position)
        case .file(let value): bind(value.reference.text, at: position)
        case .object(let value): bind(value.key, at: position)
        }
    }

    private func bindNull(at position: Int) { keep(sqlite3_bind_null(handle, Int32(position))) }

    private func keep(_ code: Int32) { if code != SQLITE_OK { bindingCode = code } }
}
