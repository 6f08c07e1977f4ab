import Backstitch
import BackstitchSQL
import Foundation

/// Writes values of a batch's rows as arrays for a statement, directly from the cells.
struct ColumnWriter {
    private let rows: RowBatch
    private let positions: [Int]

    /// Creates a writer for some rows.
    ///
    /// - Parameter positions: The rows, in the order of the arrays' elements.
    init(_ rows: RowBatch, _ positions: [Int]) {
        self.rows = rows
        self.positions = positions
    }

    /// Adds one parameter: an array with the same part of each row.
    ///
    /// - Throws: ``BackstitchError/Code/invalidValue`` for a text with a NUL character. The error names object and key.
    func append(_ parameter: SQLRowParameter, to parameters: inout StatementParameters) throws {
        switch parameter {
        case .key:
            parameters.append(PostgreSQLType.uuid.array) { buffer in
                var writer = ArrayWriter(.uuid, to: &buffer)
                for row in positions { writer.append(rows.keys[row], to: &buffer) }
                writer.finish(&buffer)
            }
        case .version:
            parameters.append(PostgreSQLType.bigint.array) { buffer in
                var writer = ArrayWriter(.bigint, to: &buffer)
                for row in positions { writer.append(rows.versions[row], to: &buffer) }
                writer.finish(&buffer)
            }
        case .cell(let column):
            let type = PostgreSQLType(rows.entity.properties[column])
            try parameters.append(type.array) { buffer in
                var writer = ArrayWriter(type, to: &buffer)
                try write(column, as: type, to: &writer, &buffer)
                writer.finish(&buffer)
            }
        }
    }

    /// Writes a column of the batch into an array, by the type of its elements.
    private func write(
        _ column: Int, as type: PostgreSQLType, to writer: inout ArrayWriter, _ buffer: inout WireBuffer
    ) throws {
        switch type {
        case .text, .bytes, .uuid, .numeric:
            try rows.withArena { try write(column, as: type, arena: $0, to: &writer, &buffer) }
        default: write(numbers: column, as: type, to: &writer, &buffer)
        }
    }

    /// Writes a column of numbers or truth values, whose cells hold the values themselves.
    private func write(
        numbers column: Int, as type: PostgreSQLType, to writer: inout ArrayWriter, _ buffer: inout WireBuffer
    ) {
        for row in positions {
            if rows.isNull(row, column) {
                writer.appendNull(to: &buffer)
                continue
            }
            let cell = rows.cell(row, column)
            switch type {
            case .smallint: writer.append(Int16(truncatingIfNeeded: cell), to: &buffer)
            case .integer: writer.append(Int32(truncatingIfNeeded: cell), to: &buffer)
            case .boolean: writer.append(UInt8(cell == 0 ? 0 : 1), to: &buffer)
            default: writer.append(cell, to: &buffer)
            }
        }
    }

    /// Writes a column of texts, bytes, keys or decimals, whose cells hold their place in the arena.
    private func write(
        _ column: Int, as type: PostgreSQLType, arena: UnsafeRawBufferPointer, to writer: inout ArrayWriter,
        _ buffer: inout WireBuffer
    ) throws {
        for row in positions {
            if rows.isNull(row, column) {
                writer.appendNull(to: &buffer)
                continue
            }
            let cell = rows.cell(row, column)
            let start = Int(cell >> 32)
            let bytes = UnsafeRawBufferPointer(rebasing: arena[start..<start + Int(cell & 0xFFFF_FFFF)])
            if type == .numeric {
                writer.append(decimal: bytes, to: &buffer)
                continue
            }
            if type == .text, let first = bytes.baseAddress, memchr(first, 0, bytes.count) != nil {
                throw BackstitchError.nulCharacter(
                    in: (rows.objectID(at: row), rows.entity.properties[column].name))
            }
            writer.append(bytes, to: &buffer)
        }
    }
}
