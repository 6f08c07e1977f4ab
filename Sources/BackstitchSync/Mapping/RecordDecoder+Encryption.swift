import Backstitch
import CloudWire
import Foundation

extension RecordDecoder {
    /// Returns the value of an encrypted field; for an asset, the name of its plaintext.
    ///
    /// - Parameter sealing: Receives the name of its key.
    /// - Throws: ``RecordFault`` if it cannot be decrypted, or its type does not fit the model. The fault does not
    ///   reveal the value.
    func opened(
        _ value: WireValue, _ column: ResolvedProperty, of record: WireRecord, _ entity: SyncedEntity,
        _ sealing: inout RecordSealing
    ) throws(RecordFault) -> DecodedCell {
        guard let ring else {
            throw RecordFault("the field \(column.name) is encrypted, and there are no keys to read it")
        }
        let fields = SealedFields(
            ring: ring, recordName: record.recordName, recordType: record.recordType ?? entity.wireName)
        let field = entity.wireName(of: column.name)
        if column.attribute?.allowsExternalStorage == true {
            let envelope = entity.envelopeName(of: column.name)
            return try openedAsset(value, column, fields, envelope, record.value(envelope), &sealing)
        }
        guard case .bytes(let bytes) = value else { throw Self.unencrypted(value, column) }
        let (content, id) = try fields.open(bytes, field: field)
        sealing.keyIDs.insert(id)
        guard case .value(let plain) = content, let cell = try? DecodedCell(plain, for: column, zone: zone) else {
            throw RecordFault(
                "the field \(column.name), decrypted, does not fit the model's "
                    + "\(column.attribute?.type.description ?? "")")
        }
        return cell
    }

    /// Records the key of a field that is not read here.
    func noteKey(
        of column: ResolvedProperty, in record: WireRecord, _ entity: SyncedEntity, _ sealing: inout RecordSealing
    ) {
        let isAsset = column.attribute?.allowsExternalStorage == true
        let field = isAsset ? entity.envelopeName(of: column.name) : entity.wireName(of: column.name)
        guard case .bytes(let bytes)? = record.value(field), let envelope = SealedEnvelope(bytes) else { return }
        sealing.keyIDs.insert(envelope.keyID)
        if isAsset { sealing.assets[column.name] = bytes }
    }

    private func openedAsset(
        _ value: WireValue, _ column: ResolvedProperty, _ fields: SealedFields, _ field: String,
        _ envelope: WireValue?, _ sealing: inout RecordSealing
    ) throws(RecordFault) -> DecodedCell {
        guard case .asset(let asset) = value, case .bytes(let bytes)? = envelope else {
            throw Self.unencrypted(value, column)
        }
        let (content, id) = try fields.open(bytes, field: field)
        guard case .asset(let sealed) = content else {
            throw RecordFault("the field \(column.name), decrypted, is not an asset")
        }
        let size = sealed.reference.size
        if let fault = AssetReference.sizeFault(size, limit: largestAsset) {
            throw RecordFault("the field \(column.name) is an asset \(fault)")
        }
        guard asset.size == AssetFrames.sealedSize(size) else {
            throw RecordFault(
                "the field \(column.name) is an asset of \(asset.size) bytes, and the \(size) that were encrypted "
                    + "give \(AssetFrames.sealedSize(size))")
        }
        sealing.keyIDs.insert(id)
        sealing.assets[column.name] = bytes
        return .text(sealed.reference.text)
    }

    private static func unencrypted(_ value: WireValue, _ column: ResolvedProperty) -> RecordFault {
        RecordFault(
            "the field \(column.name) came as \(value.type.rawValue), not encrypted, but the model has an "
                + "encrypted attribute; use another attribute for values that others write unencrypted")
    }
}
