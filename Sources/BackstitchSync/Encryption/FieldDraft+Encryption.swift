import Backstitch
import CloudWire
import Foundation

extension FieldDraft {
    /// Adds an encrypted field.
    mutating func addSealed(_ column: ResolvedProperty, isWhole: Bool) throws(RecordFault) {
        let field = entity.wireName(of: column.name)
        switch try encoder.value(row, column, of: rows) {
        case nil:
            guard !isWhole else { return }
            set(nil, field)
            if column.attribute?.allowsExternalStorage == true { set(nil, entity.envelopeName(of: column.name)) }
            sealing.assets[column.name] = nil
        case .asset(let asset)?:
            try addSealed(AssetReference(checksum: asset.fileChecksum, size: asset.size), column, field)
        case let value?:
            let envelope = try seal(.value(value), field)
            set(.bytes(envelope.bytes), field)
        }
    }

    private mutating func addSealed(
        _ reference: AssetReference, _ column: ResolvedProperty, _ field: String
    ) throws(RecordFault) {
        let envelopeField = entity.envelopeName(of: column.name)
        guard builder.assets.contains(reference) else { return leaveOut(reference, column) }
        let size = AssetFrames.sealedSize(reference.size)
        guard size <= builder.limits.asset else {
            throw RecordFault(
                "\(rows.objectID(at: row)).\(column.name) has \(size) bytes when it is encrypted; "
                    + "the server takes up to \(builder.limits.asset)")
        }
        // If these bytes are uploaded before the record, they already have a key.
        let place = AssetPlace(key: rows.keys[row], attribute: column.name)
        let key = builder.uploads?.contentKey(of: reference, at: place) ?? AssetContentKey()
        let envelope = try seal(.asset(SealedAsset(reference: reference, key: key)), envelopeField)
        set(.asset(WireAsset(fileChecksum: "", size: size)), field)
        set(.bytes(envelope.bytes), envelopeField)
        noteSealed(reference, key, column)
        sealing.assets[column.name] = envelope.bytes
    }

    /// Adds the other encrypted fields of a record under a replaced key. For an asset, only the envelope is made anew.
    ///
    /// - Parameter known: The keys of the record as it is on the server.
    mutating func addRotated(from known: RecordSealing) throws(RecordFault) {
        for (attribute, envelope) in known.assets where fields[entity.envelopeName(of: attribute)] == nil {
            sealing.assets[attribute] = envelope
        }
        let replaced = builder.ring?.replaced ?? []
        // If a key cannot be replaced here, the record need not be checked again for it.
        sealing.keyIDs.formUnion(known.keyIDs.subtracting(replaced))
        guard !known.keyIDs.isDisjoint(with: replaced) else { return }
        for column in entity.encryptedColumns {
            let isAsset = column.attribute?.allowsExternalStorage == true
            let field = isAsset ? entity.envelopeName(of: column.name) : entity.wireName(of: column.name)
            guard fields[field] == nil, !rows.isNull(row, column.slot), entity.sends(column) else { continue }
            if isAsset {
                try addRotatedEnvelope(of: column, field, known)
            } else {
                try addSealed(column, isWhole: false)
            }
        }
    }

    private mutating func addRotatedEnvelope(
        of column: ResolvedProperty, _ field: String, _ known: RecordSealing
    ) throws(RecordFault) {
        guard let old = known.assets[column.name] else { return }
        let content: SealedContent
        do throws(RecordFault) { content = try sealedFields.open(old, field: field).content } catch {
            if case .unasked? = error.key { throw error }
            // The old key is no longer available, and the bytes stay unchanged.
            return
        }
        guard case .asset(let asset) = content,
            AssetReference(text: rows.string(row, column.slot)) == asset.reference
        else { return }
        let envelope = try seal(content, field)
        set(.bytes(envelope.bytes), field)
        sealing.assets[column.name] = envelope.bytes
    }

    private mutating func seal(_ content: SealedContent, _ field: String) throws(RecordFault) -> SealedEnvelope {
        let envelope = try sealedFields.seal(content, field: field)
        sealing.keyIDs.insert(envelope.keyID)
        return envelope
    }

    private var sealedFields: SealedFields {
        get throws(RecordFault) {
            guard let ring = builder.ring else {
                throw RecordFault("\(rows.objectID(at: row)) has encrypted attributes, and there are no keys")
            }
            return SealedFields(
                ring: ring, recordName: encoder.name(of: rows.keys[row]), recordType: entity.wireName)
        }
    }
}
