import Backstitch

/// The encoded values that history keeps of deleted objects, by key.
struct Tombstones {
    private var encoded: [ObjectKey: [UInt8]] = [:]

    init() {}

    /// Creates the tombstones of rows before their deletion.
    init(_ rows: RowBatch) {
        guard rows.entity.keepsTombstones else { return }
        let columns = rows.entity.tombstoneColumns
        for row in 0..<rows.count {
            var writer = ByteWriter()
            for column in columns {
                let value = rows.value(row, column.slot)
                if value.isNull { continue }
                writer.write(text: column.name)
                writer.write(value)
            }
            encoded[rows.keys[row]] = writer.bytes
        }
    }

    subscript(key: ObjectKey) -> [UInt8]? { encoded[key] }

    static func decode(_ bytes: [UInt8]) throws -> [String: Value] {
        var reader = ByteReader(bytes)
        var values: [String: Value] = [:]
        while !reader.isAtEnd { values[try reader.readText()] = try reader.readValue() }
        return values
    }
}

extension ResolvedEntity {
    var tombstoneColumns: [ResolvedProperty] {
        columns.filter {
            $0.attribute?.preservesValueInHistoryOnDeletion == true && $0.attribute?.allowsExternalStorage == false
        }
    }

    var keepsTombstones: Bool { !tombstoneColumns.isEmpty }
}
