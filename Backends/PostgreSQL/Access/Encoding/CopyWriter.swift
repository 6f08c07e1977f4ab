import Backstitch
import BackstitchSQL
import Foundation

/// Writes new rows in the binary form of `COPY`: for each row the number of its columns, then each column with its
/// length.
struct CopyWriter {
    private let rows: RowBatch
    private let keys: ContiguousArray<ObjectKey>
    private let cells: RowCellList
    private let types: ContiguousArray<PostgreSQLType>

    init(_ rows: RowBatch) {
        self.rows = rows
        keys = rows.keys
        cells = rows.rowCells
        types = ContiguousArray(rows.entity.columns.map { PostgreSQLType($0) })
    }

    /// Writes the header: a signature, then empty flags and an empty extension.
    static func writeHeader(to buffer: inout WireBuffer) {
        let signature: StaticString = "PGCOPY\n"
        buffer.write(UnsafeRawBufferPointer(start: signature.utf8Start, count: signature.utf8CodeUnitCount))
        for byte in [0xFF, 0x0D, 0x0A, 0x00] as [UInt8] { buffer.write(byte) }
        buffer.write(Int32(0))
        buffer.write(Int32(0))
    }

    /// Writes the trailer: a row with the column count -1.
    static func writeEnd(to buffer: inout WireBuffer) { buffer.write(Int16(-1)) }

    /// Writes a row: key, version 1, cells.
    ///
    /// - Parameter arena: The texts and bytes of the batch.
    /// - Throws: ``BackstitchError/Code/invalidValue`` for a text with a NUL character. The error names object and key.
    func write(_ row: Int, arena: UnsafeRawBufferPointer, to buffer: inout WireBuffer) throws {
        buffer.write(Int16(truncatingIfNeeded: types.count + 2))
        buffer.write(Int32(16))
        buffer.write(keys[row].high)
        buffer.write(keys[row].low)
        buffer.write(Int32(8))
        buffer.write(Int64(1))
        let nulls = cells.start + row &* cells.stride
        let values = nulls + cells.nullWords
        for column in types.indices {
            if nulls[column &>> 6] & (1 &<< UInt64(column & 63)) != 0 {
                buffer.write(Int32(-1))
            } else {
                try write(values[column], row, column, arena: arena, to: &buffer)
            }
        }
    }

    /// Writes a cell with its length: numbers from the cell itself, other values from the arena.
    @inline(__always)
    private func write(
        _ cell: UInt64, _ row: Int, _ column: Int, arena: UnsafeRawBufferPointer, to buffer: inout WireBuffer
    ) throws {
        switch types[column] {
        case .bigint, .double:
            buffer.write(Int32(8))
            buffer.write(cell)
        case .integer:
            buffer.write(Int32(4))
            buffer.write(Int32(truncatingIfNeeded: cell))
        case .smallint:
            buffer.write(Int32(2))
            buffer.write(Int16(truncatingIfNeeded: cell))
        case .boolean:
            buffer.write(Int32(1))
            buffer.write(UInt8(cell == 0 ? 0 : 1))
        default: try write(arena: arena, cell, row, column, to: &buffer)
        }
    }

    /// Writes a text, bytes, a key or a decimal from its place in the arena.
    private func write(
        arena: UnsafeRawBufferPointer, _ cell: UInt64, _ row: Int, _ column: Int, to buffer: inout WireBuffer
    ) throws {
        let start = Int(cell >> 32)
        let bytes = UnsafeRawBufferPointer(rebasing: arena[start..<start + Int(cell & 0xFFFF_FFFF)])
        if types[column] == .numeric {
            let place = buffer.count
            buffer.write(Int32(0))
            NumericCoding.write(bytes, to: &buffer)
            return buffer.replace(place, with: Int32(truncatingIfNeeded: buffer.count - place - 4))
        }
        if types[column] == .text, let first = bytes.baseAddress, memchr(first, 0, bytes.count) != nil {
            throw BackstitchError.nulCharacter(in: (rows.objectID(at: row), rows.entity.properties[column].name))
        }
        buffer.write(Int32(truncatingIfNeeded: bytes.count))
        buffer.write(bytes)
    }
}
