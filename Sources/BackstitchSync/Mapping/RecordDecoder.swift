import Backstitch
import CloudWire
import Foundation

/// Reads records into the form of rows.
struct RecordDecoder: Sendable {
    let zone: String
    /// The size of the largest accepted asset, in bytes.
    var largestAsset = SyncOptions.usualLargestAsset
    /// Whether the server's checksums of assets are hashes.
    var hashesAssets = true

    /// The keys of encrypted fields; nil if the model has none.
    var ring: EncryptionKeyRing?

    /// A record that has been read.
    struct Decoded {
        var cells: [DecodedCell]
        /// The targets of the owned links, by slot, in rising order.
        var links: [Int: [ObjectKey]]
        /// The fields that the model does not have, as JSON.
        var unknownFields: Data?
        /// The keys of the encrypted fields.
        var sealing = RecordSealing()
    }

    /// Reads all fields of a record. A missing field is null; a missing list of links is empty.
    ///
    /// - Throws: ``RecordFault`` when a field's value does not fit the model.
    func decode(_ record: WireRecord, as entity: SyncedEntity) throws(RecordFault) -> Decoded {
        if let name = record.encryptedFields.min() {
            // It would later be sent back unencrypted.
            throw RecordFault("the field \(name) is encrypted, which cannot be read here")
        }
        var cells: [DecodedCell] = []
        cells.reserveCapacity(entity.entity.columnCount)
        var known = 0
        var sealing = RecordSealing()
        var next = entity.columns.makeIterator()
        var synced = next.next()
        for column in entity.entity.columns {
            guard column.slot == synced?.slot else {
                // Such a column has the name of the family's entity, keeps its local value, or belongs to a relative.
                cells.append(column.slot == entity.entity.family?.slot ? .text(entity.entity.name) : .null)
                continue
            }
            synced = next.next()
            guard let field = record.fields[entity.wireName(of: column.name)] else {
                cells.append(.null)
                continue
            }
            known += 1
            let isEncrypted = entity.isEncrypted(column)
            if isEncrypted, record.fields[entity.envelopeName(of: column.name)] != nil { known += 1 }
            guard !entity.keeps(column) else {
                if isEncrypted { noteKey(of: column, in: record, entity, &sealing) }
                cells.append(.null)
                continue
            }
            guard let value = field else {
                cells.append(.null)
                continue
            }
            if isEncrypted {
                cells.append(try opened(value, column, of: record, entity, &sealing))
                continue
            }
            cells.append(try DecodedCell(checked(value, column), for: column, zone: zone))
        }
        var links: [Int: [ObjectKey]] = [:]
        for property in entity.ownedLinks {
            let name = entity.wireName(of: property.name)
            if record.fields[name] != nil { known += 1 }
            links[property.slot] = try targets(record.value(name), of: property)
        }
        if known != record.fields.count { try requireBytes(of: record, entity) }
        let unknown = known == record.fields.count ? nil : try unknownFields(of: record, entity)
        return Decoded(cells: cells, links: links, unknownFields: unknown, sealing: sealing)
    }

    /// - Throws: ``RecordFault`` for a record with values in assets whose bytes are not in it.
    private func requireBytes(of record: WireRecord, _ entity: SyncedEntity) throws(RecordFault) {
        for (field, column) in entity.largeColumns where !entity.keeps(column) {
            guard case .asset(let asset)? = record.value(field),
                record.value(entity.wireName(of: column.name)) == nil
            else { continue }
            if let fault = AssetReference.sizeFault(asset.size, limit: largestAsset) {
                throw RecordFault("the field \(field) is an asset \(fault)")
            }
            var fault = RecordFault("the \(asset.size) bytes of the field \(column.name) are not here yet")
            fault.awaitsBytes = true
            throw fault
        }
    }

    /// - Throws: ``RecordFault`` for an asset of an impossible or forbidden size.
    private func checked(_ value: WireValue, _ column: ResolvedProperty) throws(RecordFault) -> WireValue {
        guard case .asset(var asset) = value else { return value }
        if let fault = AssetReference.sizeFault(asset.size, limit: largestAsset) {
            throw RecordFault("the field \(column.name) is an asset \(fault)")
        }
        asset.fileChecksum = AssetReference(asset, isHash: hashesAssets).checksum
        return .asset(asset)
    }

    private func targets(_ value: WireValue?, of property: ResolvedProperty) throws(RecordFault) -> [ObjectKey] {
        switch value {
        case nil, .unknownList: return []
        case .referenceList(let references):
            return Set(references.map { RecordName.key(of: $0.recordName, zone: zone).key }).sorted()
        case .some(let value):
            throw RecordFault(
                "the field \(property.name) is \(value.summary), but the model has a list of references")
        }
    }

    private func unknownFields(of record: WireRecord, _ entity: SyncedEntity) throws(RecordFault) -> Data? {
        let unknown = record.fields.filter {
            !entity.fieldNames.contains($0.key) && $0.value != nil
        }
        guard !unknown.isEmpty else { return nil }
        do { return Data(try WireRecord.encodeFields(unknown, of: record.recordName)) } catch {
            throw RecordFault("the record has a field that cannot be kept: \(error)")
        }
    }
}

extension RecordDecoder {
    /// Creates a decoder for the records of a zone.
    init(_ settings: ApplySettings) {
        self.init(
            zone: settings.zone, largestAsset: settings.largestAsset, hashesAssets: settings.hashesAssets,
            ring: settings.ring)
    }
}
