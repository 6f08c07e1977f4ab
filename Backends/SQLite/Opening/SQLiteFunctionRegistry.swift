import Backstitch
import BackstitchSQL
import BackstitchSupport
import GRDBSQLite

/// Registers the functions and the collation of predicates on a connection. It calls SQLite's C functions, because
/// texts may contain NUL characters, and a C string ends at the first one.
enum SQLiteFunctionRegistry {
    static func register(on connection: OpaquePointer?) throws {
        try register(SQLiteFunctions.fold, 2, on: connection) { context, _, arguments in
            let text = SQLFunctions.fold(Self.text(arguments, 0), flags: sqlite3_value_int64(arguments?[1]))
            Self.give(text, to: context)
        }
        try register(SQLiteFunctions.uppercase, 1, on: connection) { context, _, arguments in
            Self.give(SQLFunctions.uppercase(Self.text(arguments, 0)), to: context)
        }
        try register(SQLiteFunctions.matches, 3, on: connection, isForTriggers: false) { context, _, arguments in
            do {
                let matches = try SQLFunctions.matches(
                    Self.text(arguments, 0), Self.text(arguments, 1), flags: sqlite3_value_int64(arguments?[2]))
                if let matches { sqlite3_result_int(context, matches ? 1 : 0) } else { sqlite3_result_null(context) }
            } catch {
                let message = (error as? BackstitchError)?.message ?? "\(error)"
                sqlite3_result_error(context, message, -1)
            }
        }
        try register(SQLiteFunctions.decimal, 1, on: connection) { context, _, arguments in
            let isNull = sqlite3_value_type(arguments?[0]) == SQLITE_NULL
            Self.give(SQLFunctions.decimal(isNull ? nil : sqlite3_value_double(arguments?[0])), to: context)
        }
        try register(SQLiteFunctions.double, 1, on: connection) { context, _, arguments in
            guard sqlite3_value_bytes(arguments?[0]) == 8, let bits = sqlite3_value_blob(arguments?[0]) else {
                return sqlite3_result_null(context)
            }
            let number = UInt64(bigEndian: bits.loadUnaligned(as: UInt64.self))
            sqlite3_result_double(context, Double(bitPattern: number))
        }
        try register(SQLiteFunctions.bytes, 1, on: connection) { context, _, arguments in
            guard let bytes = Self.text(arguments, 0).flatMap({ [UInt8](hexadecimal: $0) }) else {
                return sqlite3_result_null(context)
            }
            if bytes.isEmpty { return sqlite3_result_zeroblob(context, 0) }
            sqlite3_result_blob64(context, bytes, UInt64(bytes.count), SQLiteBinder.copied)
        }
        try SQLiteDecimalAggregates.register(on: connection)
        let code = sqlite3_create_collation_v2(
            connection, SQLiteFunctions.decimalCollation, SQLITE_UTF8, nil,
            { _, leftCount, left, rightCount, right in
                let result = SQLFunctions.compareDecimals(Self.text(left, leftCount), Self.text(right, rightCount))
                return result < 0 ? -1 : result > 0 ? 1 : 0
            }, nil)
        guard code == SQLITE_OK else { throw SQLiteFailure(code, on: connection) }
    }

    private typealias Function =
        @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    /// Registers one function on a connection.
    ///
    /// - Parameter isForTriggers: Whether a database's own triggers may call it, and not only this project's
    ///   statements.
    private static func register(
        _ name: String, _ count: Int32, on connection: OpaquePointer?, isForTriggers: Bool = true, _ function: Function
    ) throws {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | (isForTriggers ? SQLITE_INNOCUOUS : 0)
        let code = sqlite3_create_function_v2(connection, name, count, flags, nil, function, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteFailure(code, on: connection) }
    }

    /// An argument of a function as text; nil for null.
    static func text(_ arguments: UnsafeMutablePointer<OpaquePointer?>?, _ index: Int) -> String? {
        guard let start = sqlite3_value_text(arguments?[index]) else { return nil }
        return text(start, sqlite3_value_bytes(arguments?[index]))
    }

    private static func text(_ start: UnsafeRawPointer?, _ count: Int32) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }

    /// Returns a text, or null, to SQLite as the result of a function.
    static func give(_ text: String?, to context: OpaquePointer?) {
        guard var text else { return sqlite3_result_null(context) }
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_result_text64(
                    context, $0.baseAddress, UInt64($0.count), SQLiteBinder.copied, UInt8(SQLITE_UTF8))
            }
        }
    }
}
