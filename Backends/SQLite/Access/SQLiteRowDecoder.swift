import Backstitch
import BackstitchSQL
import GRDBSQLite

/// Decodes rows from the columns of a statement directly into a batch. No memory is allocated for a column.
struct SQLiteRowDecoder {
    private let entity: ResolvedEntity
    private let kinds: ContiguousArray<CellForm>
    private let firstColumn: Int32

    init(_ entity: ResolvedEntity, firstColumn: Int) {
        self.entity = entity
        self.firstColumn = Int32(firstColumn)
        kinds = entity.cellForms
    }

    /// Appends the present row of the statement.
    func append(_ pointer: OpaquePointer, to builder: inout RowBatchBuilder) throws {
        guard let key = sqlite3_column_blob(pointer, firstColumn), sqlite3_column_bytes(pointer, firstColumn) == 16
        else {
            throw Self.damaged("a row of \(entity.name) has no key of 16 bytes")
        }
        let row = builder.appendRow(
            key: ObjectKey(bigEndianBytes: UnsafeRawBufferPointer(start: key, count: 16)),
            version: sqlite3_column_int64(pointer, firstColumn + 1))
        try decode(pointer, from: firstColumn + 2, into: row, &builder)
    }

    /// Appends a row of values, without key and version.
    func appendValues(_ pointer: OpaquePointer, to builder: inout RowBatchBuilder) throws {
        try decode(pointer, from: firstColumn, into: builder.appendValues(), &builder)
    }

    @inline(__always)
    private func decode(
        _ pointer: OpaquePointer, from first: Int32, into row: RowCells, _ builder: inout RowBatchBuilder
    ) throws {
        let cells = row.cells
        try kinds.withUnsafeBufferPointer { kinds in
            for column in 0..<kinds.count {
                // The functions of values are quicker than those of columns, because those check the statement at each
                // call. They are meant for one thread at a time, and a connection has only one.
                let value = sqlite3_column_value(pointer, first &+ Int32(truncatingIfNeeded: column))
                let type = sqlite3_value_type(value)
                if type == SQLITE_INTEGER, case .integer = kinds[column] {
                    cells[column] = UInt64(bitPattern: sqlite3_value_int64(value))
                } else if type == SQLITE_NULL {
                    row.setNull(column)
                } else {
                    cells[column] = try cell(column, value, type, &builder)
                }
            }
        }
    }

    /// The content of a cell that is neither null nor an integer.
    private func cell(
        _ column: Int, _ value: OpaquePointer?, _ type: Int32, _ builder: inout RowBatchBuilder
    ) throws -> UInt64 {
        switch (kinds[column], type) {
        case (.double, SQLITE_FLOAT), (.double, SQLITE_INTEGER): return sqlite3_value_double(value).bitPattern
        case (.text, SQLITE_TEXT): return try keep(UnsafeRawPointer(sqlite3_value_text(value)), of: value, &builder)
        case (.bytes, SQLITE_BLOB): return try keep(sqlite3_value_blob(value), of: value, &builder)
        case (.key, SQLITE_BLOB) where sqlite3_value_bytes(value) == 16:
            return try keep(sqlite3_value_blob(value), of: value, &builder)
        case (.double, SQLITE_BLOB) where sqlite3_value_bytes(value) == 8: return try notANumber(value)
        default: throw wrongType(column)
        }
    }

    /// Copies a text or some bytes into the batch, and returns the cell for them.
    private func keep(
        _ start: UnsafeRawPointer?, of value: OpaquePointer?, _ builder: inout RowBatchBuilder
    ) throws -> UInt64 {
        let count = start == nil ? 0 : Int(sqlite3_value_bytes(value))
        guard builder.arenaSize + count <= Int(UInt32.max) else {
            throw BackstitchError(
                .invalidRequest,
                "the requested rows of \(entity.name) hold more than 4 GiB; fetch them in parts, with a limit"
            )
        }
        return builder.keep(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The bits of a NaN; see ``SQLiteBinder/bind(_:at:)-(Double,_)``.
    private func notANumber(_ value: OpaquePointer?) throws -> UInt64 {
        guard let start = sqlite3_value_blob(value) else { throw Self.damaged("a number has no bytes") }
        return UInt64(bigEndian: start.loadUnaligned(as: UInt64.self))
    }

    private func wrongType(_ column: Int) -> BackstitchError {
        Self.damaged(
            "a row of \(entity.name) has a value of the wrong type in \(entity.properties[column].name)")
    }

    static func damaged(_ what: String) -> BackstitchError {
        BackstitchError(
            .storeFailure, "the store is damaged: \(what); restore it from a backup, or remove it and sync again")
    }
}
