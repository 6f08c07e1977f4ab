import Backstitch
import BackstitchSQL
import GRDBSQLite

/// The exact sum and mean of decimals as aggregates of a connection. SQLite's own aggregates would convert them to
/// doubles.
enum SQLiteDecimalAggregates {
    static func register(on connection: OpaquePointer?) throws {
        try register(SQLiteFunctions.decimalSum, on: connection) { context in
            SQLiteDecimalAggregates.finish(context) { $0.sum }
        }
        try register(SQLiteFunctions.decimalAverage, on: connection) { context in
            SQLiteDecimalAggregates.finish(context) { $0.average }
        }
    }

    private static func register(
        _ name: String, on connection: OpaquePointer?, finish: @convention(c) (OpaquePointer?) -> Void
    ) throws {
        let code = sqlite3_create_function_v2(
            connection, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil, nil,
            { context, _, arguments in
                guard let text = SQLiteFunctionRegistry.text(arguments, 0) else { return }
                SQLiteDecimalAggregates.sum(context)?.add(text)
            }, finish, nil)
        guard code == SQLITE_OK else { throw SQLiteFailure(code, on: connection) }
    }

    /// The sum of the present group. SQLite provides eight bytes for the reference, which are zero at first.
    private static func sum(_ context: OpaquePointer?) -> DecimalSum? {
        let size = Int32(MemoryLayout<UnsafeRawPointer?>.size)
        guard let place = sqlite3_aggregate_context(context, size)?.assumingMemoryBound(to: UnsafeRawPointer?.self)
        else { return nil }
        if let known = place.pointee { return Unmanaged<DecimalSum>.fromOpaque(known).takeUnretainedValue() }
        let sum = DecimalSum()
        place.pointee = UnsafeRawPointer(Unmanaged.passRetained(sum).toOpaque())
        return sum
    }

    /// Ends a group: gives SQLite its result, and releases the sum.
    private static func finish(_ context: OpaquePointer?, _ result: (DecimalSum) -> String?) {
        guard let place = sqlite3_aggregate_context(context, 0)?.assumingMemoryBound(to: UnsafeRawPointer?.self),
            let known = place.pointee
        else { return sqlite3_result_null(context) }
        let sum = Unmanaged<DecimalSum>.fromOpaque(known).takeRetainedValue()
        place.pointee = nil
        if sum.isOutOfRange { return sqlite3_result_error(context, DecimalSum.outOfRange, -1) }
        SQLiteFunctionRegistry.give(result(sum), to: context)
    }
}
