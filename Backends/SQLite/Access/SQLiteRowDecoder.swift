import Backstitch
import BackstitchSQL
import GRDBSQLite

/// Decodes rows from the columns of a statement straight into a batch: nothing is allocated for a column.
struct SQLiteRowDecoder {
    private let entity: ResolvedEntity
    private let kinds: ContiguousArray<CellForm>
    private let firstColumn: Int32

    init(_ entity: ResolvedEntity, firstColumn: Int) {
        self.entity = entity
        self.firstColumn = Int32(firstColumn)
        kinds = entity.cellForms
    }

    /// Appends the row that the statement is at.
    func append(_ pointer: OpaquePointer, to builder: inout RowBatchBuilder) throws {
        guard let key = sqlite3_column_blob(pointer, firstColumn), sqlite3_column_bytes(pointer, firstColumn) == 16
        else {
            throw Self.damaged("a row of \(entity.name) has no key of 16 bytes")
        }
        builder.beginRow(
            key: ObjectKey(bigEndianBytes: UnsafeRawBufferPointer(start: key, count: 16)),
            version: sqlite3_column_int64(pointer, firstColumn + 1))
        for column in kinds.indices {
            // The value's own functions are quicker than the columns', which check the statement each time. They are meant for one
            // thread at a time, and a connection has no more.
            let value = sqlite3_column_value(pointer, firstColumn + 2 + Int32(column))
            switch (kinds[column], sqlite3_value_type(value)) {
            case (_, SQLITE_NULL): builder.appendNull()
            case (.integer, SQLITE_INTEGER): builder.append(int: sqlite3_value_int64(value))
            case (.double, SQLITE_FLOAT), (.double, SQLITE_INTEGER): builder.append(double: sqlite3_value_double(value))
            case (.text, SQLITE_TEXT): try append(UnsafeRawPointer(sqlite3_value_text(value)), of: value, to: &builder)
            case (.bytes, SQLITE_BLOB): try append(sqlite3_value_blob(value), of: value, to: &builder)
            case (.key, SQLITE_BLOB) where sqlite3_value_bytes(value) == 16:
                try append(sqlite3_value_blob(value), of: value, to: &builder)
            case (.double, SQLITE_BLOB) where sqlite3_value_bytes(value) == 8: try appendNaN(value, to: &builder)
            default: throw wrongType(column)
            }
        }
    }

    private func append(
        _ start: UnsafeRawPointer?, of value: OpaquePointer?, to builder: inout RowBatchBuilder
    ) throws {
        let count = start == nil ? 0 : Int(sqlite3_value_bytes(value))
        guard builder.arenaSize + count <= Int(UInt32.max) else {
            throw BackstitchError(
                .invalidRequest,
                "the rows of \(entity.name) that were asked for hold more than 4 GiB; fetch them in parts, with a limit"
            )
        }
        builder.append(bytes: UnsafeRawBufferPointer(start: start, count: count))
    }

    /// See ``SQLiteBinder/bind(_:at:)-(Double,_)``.
    private func appendNaN(_ value: OpaquePointer?, to builder: inout RowBatchBuilder) throws {
        guard let start = sqlite3_value_blob(value) else { throw Self.damaged("a number has no bytes") }
        builder.append(double: Double(bitPattern: UInt64(bigEndian: start.loadUnaligned(as: UInt64.self))))
    }

    private func wrongType(_ column: Int) -> BackstitchError {
        Self.damaged(
            "a row of \(entity.name) has something in \(entity.properties[column].name) that does not belong there")
    }

    static func damaged(_ what: String) -> BackstitchError {
        BackstitchError(
            .storeFailure, "the store is damaged: \(what); restore it from a backup, or remove it and sync again")
    }
}
