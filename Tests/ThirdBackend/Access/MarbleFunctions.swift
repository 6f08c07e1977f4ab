import Backstitch
import BackstitchSQL
import GRDBSQLite

/// The functions that Marble has beside SQL's own, under its own names. The C interface is used, as texts may hold NUL.
enum MarbleFunctions {
    static func register(on connection: OpaquePointer) throws {
        try register("marble_folded", 2, on: connection) { context, _, values in
            MarbleFunctions.give(
                SQLFunctions.fold(text(values, 0), flags: sqlite3_value_int64(values?[1])), to: context)
        }
        try register("marble_capitals", 1, on: connection) { context, _, values in
            MarbleFunctions.give(SQLFunctions.uppercase(text(values, 0)), to: context)
        }
        try register("marble_fits", 3, on: connection) { context, _, values in
            do {
                let fits = try SQLFunctions.matches(
                    text(values, 0), text(values, 1), flags: sqlite3_value_int64(values?[2]))
                if let fits { sqlite3_result_int(context, fits ? 1 : 0) } else { sqlite3_result_null(context) }
            } catch {
                sqlite3_result_error(context, (error as? BackstitchError)?.message ?? "\(error)", -1)
            }
        }
        try register("marble_exactly", 1, on: connection) { context, _, values in
            let isNull = sqlite3_value_type(values?[0]) == SQLITE_NULL
            MarbleFunctions.give(SQLFunctions.decimal(isNull ? nil : sqlite3_value_double(values?[0])), to: context)
        }
        try registerAggregate("marble_total", on: connection) { MarbleFunctions.finish($0) { $0.sum } }
        try registerAggregate("marble_mean", on: connection) { MarbleFunctions.finish($0) { $0.average } }
        let code = sqlite3_create_collation_v2(
            connection, "marble_number", SQLITE_UTF8, nil,
            { _, leftCount, left, rightCount, right in
                let order = SQLFunctions.compareDecimals(text(left, leftCount), text(right, rightCount))
                return Int32(order.signum())
            }, nil)
        guard code == SQLITE_OK else { throw MarbleFailure(code, on: connection) }
    }

    private typealias Function =
        @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    private static func register(
        _ name: String, _ count: Int32, on connection: OpaquePointer, _ function: Function
    ) throws {
        let code = sqlite3_create_function_v2(
            connection, name, count, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, function, nil, nil, nil)
        guard code == SQLITE_OK else { throw MarbleFailure(code, on: connection) }
    }

    private static func registerAggregate(
        _ name: String, on connection: OpaquePointer, finish: @convention(c) (OpaquePointer?) -> Void
    ) throws {
        let code = sqlite3_create_function_v2(
            connection, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, nil,
            { context, _, values in
                guard let number = text(values, 0), let place = MarbleFunctions.place(context, 8) else { return }
                let sum =
                    place.pointee.map { Unmanaged<DecimalSum>.fromOpaque($0).takeUnretainedValue() } ?? DecimalSum()
                if place.pointee == nil { place.pointee = UnsafeRawPointer(Unmanaged.passRetained(sum).toOpaque()) }
                sum.add(number)
            }, finish, nil)
        guard code == SQLITE_OK else { throw MarbleFailure(code, on: connection) }
    }

    /// The place of a group's sum; nil when nothing was added and `size` is zero.
    private static func place(_ context: OpaquePointer?, _ size: Int32) -> UnsafeMutablePointer<UnsafeRawPointer?>? {
        sqlite3_aggregate_context(context, size)?.assumingMemoryBound(to: UnsafeRawPointer?.self)
    }

    private static func finish(_ context: OpaquePointer?, _ result: (DecimalSum) -> String?) {
        guard let place = place(context, 0), let known = place.pointee else { return sqlite3_result_null(context) }
        place.pointee = nil
        let sum = Unmanaged<DecimalSum>.fromOpaque(known).takeRetainedValue()
        if sum.isOutOfRange { return sqlite3_result_error(context, DecimalSum.outOfRange, -1) }
        give(result(sum), to: context)
    }

    private static func give(_ text: String?, to context: OpaquePointer?) {
        guard var text else { return sqlite3_result_null(context) }
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_result_text64(context, $0.baseAddress, UInt64($0.count), copied, UInt8(SQLITE_UTF8))
            }
        }
    }
}

/// An argument as text; nil for null.
private func text(_ values: UnsafeMutablePointer<OpaquePointer?>?, _ index: Int) -> String? {
    guard let start = sqlite3_value_text(values?[index]) else { return nil }
    return text(start, sqlite3_value_bytes(values?[index]))
}

private func text(_ start: UnsafeRawPointer?, _ count: Int32) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
}
