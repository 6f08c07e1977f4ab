import Backstitch
import CloudWire
import Foundation

/// Creates the fields of records from rows.
struct RecordEncoder: Sendable {
    /// The record names of objects that are not named by their key.
    let foreignNames: [ObjectKey: String]

    /// Returns the value of a column's field; nil if the column is null.
    ///
    /// - Throws: ``RecordFault`` when the value cannot be sent.
    func value(_ row: Int, _ column: ResolvedProperty, of rows: RowBatch) throws(RecordFault) -> WireValue? {
        let slot = column.slot
        if rows.isNull(row, slot) { return nil }
        guard let attribute = column.attribute else { return .reference(reference(to: rows.key(row, slot))) }
        switch attribute.type {
        case .integer16, .integer32, .integer64: return .int64(rows.int(row, slot))
        case .boolean: return .int64(rows.cell(row, slot) == 0 ? 0 : 1)
        case .date: return .timestamp(rows.int(row, slot))
        case .double, .float:
            let number = rows.double(row, slot)
            guard number.isFinite else {
                throw RecordFault(
                    "\(rows.objectID(at: row)).\(column.name) is \(number), which cannot be sent; give it a "
                        + "finite number or nil")
            }
            return .double(number)
        case .string, .decimal, .uri: return .string(rows.string(row, slot))
        case .uuid: return .string(rows.key(row, slot).uuidString)
        case .transformable: return .bytes(rows.withBytes(row, slot) { Data($0) })
        case .binary:
            guard attribute.allowsExternalStorage else { return .bytes(rows.withBytes(row, slot) { Data($0) }) }
            // The receipt of the upload replaces this value before the record is sent.
            guard let asset = AssetReference(text: rows.string(row, slot)) else {
                throw RecordFault("\(rows.objectID(at: row)).\(column.name) refers to no asset")
            }
            return .asset(WireAsset(fileChecksum: asset.wireChecksum, size: asset.size))
        }
    }

    /// Returns the value of a to-many relationship's field: its targets in order of keys.
    func links(_ targets: [ObjectKey]) -> WireValue { .referenceList(targets.sorted().map(reference)) }

    /// Returns the name of an object's record.
    func name(of key: ObjectKey) -> String { foreignNames[key] ?? key.uuidString }

    private func reference(to key: ObjectKey) -> WireReference { WireReference(recordName: name(of: key)) }
}
