import Backstitch
import BackstitchSQL

/// Decodes rows from the binary columns of a result directly into a batch. No memory is allocated for a column.
struct PostgreSQLRowDecoder {
    /// The binary form of a column.
    private enum Kind {
        case bigint, integer, smallint, boolean
        case double, numeric, key
        /// Text, or bytes of any length.
        case bytes
    }

    private let entity: ResolvedEntity
    private let result: PostgreSQLResult
    private let kinds: ContiguousArray<Kind>
    private let firstColumn: Int

    /// Creates a decoder for a result.
    ///
    /// - Throws: ``PostgreSQLFailure`` when the result's columns do not match the entity. So the server's answer never
    ///   decides how memory is read.
    init(_ result: PostgreSQLResult, entity: ResolvedEntity, firstColumn: Int) throws {
        self.entity = entity
        self.result = result
        self.firstColumn = firstColumn
        let types = [.uuid, .bigint] + entity.columns.map { PostgreSQLType($0) }
        for (index, type) in types.enumerated() where !type.takes(result.type(of: firstColumn + index)) {
            throw PostgreSQLFailure(
                .malformed,
                "column \(firstColumn + index) of \(entity.name) has type \(result.type(of: firstColumn + index).oid)")
        }
        // During a migration a column may already be wider than in the old entity.
        kinds = ContiguousArray(entity.columns.indices.map { Self.kind(result.type(of: firstColumn + 2 + $0)) })
    }

    private static func kind(_ type: PostgreSQLType) -> Kind {
        switch type {
        case .bigint: .bigint
        case .integer: .integer
        case .smallint: .smallint
        case .boolean: .boolean
        case .double: .double
        case .numeric: .numeric
        case .uuid: .key
        default: .bytes
        }
    }

    /// Appends a row of the result to a batch.
    func append(_ row: Int, to builder: inout RowBatchBuilder) throws {
        guard let key = result.bytes(row, firstColumn), key.count == 16,
            let version = result.bytes(row, firstColumn + 1), version.count == 8
        else { throw malformed("key") }
        let decoded = builder.appendRow(
            key: ObjectKey(bigEndianBytes: key), version: Int64(bigEndian: version.loadUnaligned(as: Int64.self)))
        let cells = decoded.cells
        for column in kinds.indices {
            guard let bytes = result.bytes(row, firstColumn + 2 + column) else {
                decoded.setNull(column)
                continue
            }
            if bytes.count == 8, case .bigint = kinds[column] {
                cells[column] = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
            } else {
                cells[column] = try cell(column, bytes, &builder)
            }
        }
    }

    /// The content of a cell that is neither null nor an integer of eight bytes.
    private func cell(
        _ column: Int, _ bytes: UnsafeRawBufferPointer, _ builder: inout RowBatchBuilder
    ) throws -> UInt64 {
        switch (kinds[column], bytes.count) {
        case (.integer, 4): return Self.cell(Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self))))
        case (.smallint, 2): return Self.cell(Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self))))
        case (.boolean, 1): return bytes[0] == 0 ? 0 : 1
        case (.double, 8): return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        case (.key, 16), (.bytes, _): return try keep(bytes, &builder)
        case (.numeric, _):
            guard var text = NumericCoding.text(bytes) else { throw malformed(entity.properties[column].name) }
            return try text.withUTF8 { try keep(UnsafeRawBufferPointer($0), &builder) }
        default: throw malformed(entity.properties[column].name)
        }
    }

    private static func cell(_ number: Int64) -> UInt64 { UInt64(bitPattern: number) }

    /// Copies a text or some bytes into the batch, and returns the cell for them.
    private func keep(_ bytes: UnsafeRawBufferPointer, _ builder: inout RowBatchBuilder) throws -> UInt64 {
        guard builder.arenaSize + bytes.count <= Int(UInt32.max) else {
            throw BackstitchError(
                .invalidRequest,
                "the requested rows of \(entity.name) hold more than 4 GiB; fetch them in parts, with a limit"
            )
        }
        return builder.keep(bytes)
    }

    /// The failure for bytes that do not fit the type of a column.
    private func malformed(_ name: String) -> PostgreSQLFailure {
        PostgreSQLFailure(.malformed, "\(name) of a row of \(entity.name) has bytes that are not valid for its type")
    }
}
