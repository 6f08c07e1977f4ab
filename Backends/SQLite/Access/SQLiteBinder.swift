import Backstitch
import BackstitchSQL
import Foundation
import GRDBSQLite

/// Binds the parameters of a statement. Errors are kept until ``check()``, so that one check is enough for a run.
final class SQLiteBinder: SQLBinder {
    private let statement: PreparedStatement
    private var code = SQLITE_OK
    /// Space for the bytes of keys, 16 for each parameter, so that the binding of a key allocates no memory.
    private let keys: UnsafeMutableRawBufferPointer

    /// Makes SQLite copy a value before the call returns.
    static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    /// The address of empty texts and bytes, because SQLite takes a null pointer for null.
    private static let nothing: StaticString = ""

    init(_ statement: PreparedStatement) {
        self.statement = statement
        let count = Int(sqlite3_bind_parameter_count(statement.pointer))
        keys = .allocate(byteCount: count * 16, alignment: 8)
    }

    deinit { keys.deallocate() }

    func bind(_ value: Int64, at position: Int) {
        keep(sqlite3_bind_int64(statement.pointer, Int32(position), value))
    }

    func bind(_ value: String?, at position: Int) {
        guard var value else { return bindNull(at: position) }
        value.withUTF8 { text in
            bindText(UnsafeRawBufferPointer(text), at: position, Self.copied)
        }
    }

    func bind(_ value: [UInt8]?, at position: Int) {
        guard let value else { return bindNull(at: position) }
        value.withUnsafeBytes { bindBytes($0, at: position, Self.copied) }
    }

    func bind(_ value: ObjectKey, at position: Int) {
        let place = UnsafeMutableRawBufferPointer(rebasing: keys[(position - 1) * 16..<position * 16])
        value.withBytes { place.copyMemory(from: $0) }
        // The place is not written again before the statement has run.
        bindBytes(UnsafeRawBufferPointer(place), at: position, nil)
    }

    func bindNull(at position: Int) { keep(sqlite3_bind_null(statement.pointer, Int32(position))) }

    /// Binds a floating-point number. A NaN would become null, so it is stored as the eight bytes of its bits. SQLite
    /// sorts them after all numbers.
    @inline(__always)
    func bind(_ value: Double, at position: Int) {
        if value.isNaN {
            withUnsafeBytes(of: value.bitPattern.bigEndian) { bindBytes($0, at: position, Self.copied) }
        } else {
            keep(sqlite3_bind_double(statement.pointer, Int32(position), value))
        }
    }

    /// Binds the UTF-8 bytes of a text.
    ///
    /// - Parameter destructor: nil for bytes that stay in place until the statement has run.
    @inline(__always)
    func bindText(_ bytes: UnsafeRawBufferPointer, at position: Int, _ destructor: sqlite3_destructor_type?) {
        let start = bytes.baseAddress ?? UnsafeRawPointer(Self.nothing.utf8Start)
        keep(
            sqlite3_bind_text64(
                statement.pointer, Int32(position), start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
                destructor, UInt8(SQLITE_UTF8)))
    }

    /// Binds bytes as a blob.
    ///
    /// - Parameter destructor: nil for bytes that stay in place until the statement has run.
    @inline(__always)
    func bindBytes(_ bytes: UnsafeRawBufferPointer, at position: Int, _ destructor: sqlite3_destructor_type?) {
        let start = bytes.baseAddress ?? UnsafeRawPointer(Self.nothing.utf8Start)
        keep(sqlite3_bind_blob64(statement.pointer, Int32(position), start, UInt64(bytes.count), destructor))
    }

    /// Keeps the first error for ``check()``.
    @inline(__always)
    private func keep(_ result: Int32) {
        if result != SQLITE_OK, code == SQLITE_OK { code = result }
    }

    /// Throws if a binding has failed since the last check.
    func check() throws {
        guard code != SQLITE_OK else { return }
        defer { code = SQLITE_OK }
        throw statement.failure(code)
    }
}

extension SQLiteBinder {
    func bind(_ parameter: SQLParameter, at position: Int) {
        switch parameter {
        case .key(let key): bind(key, at: position)
        case .value(let value): bind(value, at: position)
        case .keys(let keys):
            // SQLite has no arrays, so its statements split one blob.
            bind(keys.flatMap { key in key.withBytes { Array($0) } }, at: position)
        }
    }

    private func bind(_ value: Value, at position: Int) {
        switch value {
        case .null: bindNull(at: position)
        case .bool(let value): bind(value ? 1 : 0 as Int64, at: position)
        case .int(let value): bind(value, at: position)
        case .double(let value): bind(value, at: position)
        case .decimal(let value): bind(value.canonicalText, at: position)
        case .string(let value): bind(value, at: position)
        case .date(let value): bind(value.milliseconds, at: position)
        case .data(let value): value.withUnsafeBytes { bindBytes($0, at: position, Self.copied) }
        case .uuid(let value): bind(ObjectKey(value), at: position)
        case .uri(let value): bind(value.absoluteString, at: position)
        case .asset(let value): bind(value.text, at: position)
        case .file(let value): bind(value.reference.text, at: position)
        case .object(let value): bind(value.key, at: position)
        }
    }
}
