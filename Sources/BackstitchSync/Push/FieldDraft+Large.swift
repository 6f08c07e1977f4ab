import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

// Values that are too large for the record are sent as assets, the largest first.
extension FieldDraft {
    /// The largest size of a value that always stays in the record, in bytes: an asset would hardly be smaller.
    private static let smallest = 1_024

    /// Clears the additional fields on the server if the fields sent now replace their large values.
    mutating func clearLarge(_ known: Set<String>) {
        for (field, column) in entity.largeColumns where known.contains(field) {
            guard fields[entity.wireName(of: column.name)] != nil else { continue }
            set(nil, field)
            noteLarge(nil, field)
        }
    }

    /// Returns the size of the record's other fields on the server, in bytes, if large values may be among them.
    func sizeBeside(_ known: Set<String>) -> Int {
        var size = 0
        for (field, column) in entity.largeColumns where !known.contains(field) && isBeside(column) {
            size += Self.encodedSize(rows.withBytes(row, column.slot) { $0.count })
        }
        guard size > 0 else { return 0 }
        for column in entity.columns where column.attribute?.type == .string && isBeside(column) {
            size += rows.string(row, column.slot).utf8.count
        }
        return size
    }

    /// Sends the largest value of the record as an asset.
    ///
    /// - Returns: Whether there was one.
    mutating func moveLargest(isWhole: Bool, known: Set<String>) throws(RecordFault) -> Bool {
        var largest: (field: String, column: ResolvedProperty, data: Data)?
        for (field, column) in entity.largeColumns {
            let data: Data
            if case .bytes(let bytes)?? = fields[entity.wireName(of: column.name)] {
                data = bytes
            } else if !isWhole, !known.contains(field), isBeside(column), entity.sends(column) {
                data = rows.withBytes(row, column.slot) { Data($0) }
            } else {
                continue
            }
            guard data.count > max(largest?.data.count ?? 0, Self.smallest) else { continue }
            largest = (field, column, data)
        }
        guard let largest else { return false }
        guard largest.data.count <= builder.limits.asset else {
            throw RecordFault(
                "\(rows.objectID(at: row)).\(largest.column.name) has \(largest.data.count) bytes; the server takes up "
                    + "to \(builder.limits.asset)")
        }
        let reference = AssetReference(
            checksum: AssetChecksum(contentOf: largest.data).wire, size: Int64(largest.data.count))
        let asset = WireAsset(fileChecksum: reference.checksum, size: reference.size)
        if isWhole {
            remove(entity.wireName(of: largest.column.name))
        } else {
            set(nil, entity.wireName(of: largest.column.name))
        }
        set(.asset(asset), largest.field)
        noteLarge(asset, largest.field)
        noteLarge(largest.data, reference, largest.column)
        return true
    }

    /// Returns whether an unencrypted value exists and is not among the fields that are sent.
    private func isBeside(_ column: ResolvedProperty) -> Bool {
        fields[entity.wireName(of: column.name)] == nil && !rows.isNull(row, column.slot) && !entity.isEncrypted(column)
    }

    /// Returns the size of that many bytes in Base64.
    private static func encodedSize(_ count: Int) -> Int { (count + 2) / 3 * 4 }
}
