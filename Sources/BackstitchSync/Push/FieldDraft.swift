import Backstitch
import CloudWire
import Foundation

/// Collects the fields of one record from a row and its links.
struct FieldDraft {
    let entity: SyncedEntity
    let rows: RowBatch
    let row: Int
    let builder: BatchBuilder
    let encoder: RecordEncoder
    /// The targets of the links that the object owns, by slot.
    var links: [Int: [ObjectKey]] = [:]
    /// The server's knowledge of parent objects.
    var parents = KnownParents()
    /// The server's values of changed properties, if the outbox has them.
    var bases: [String: OutboxEntry.Base] = [:]

    private(set) var fields: [String: WireValue?] = [:]
    private(set) var assets: [String: AssetReference] = [:]
    private(set) var lostAssets: [LostAsset] = []
    /// Assets that are left out although the server's value is unknown, by field.
    private(set) var unread: [String: WireAsset?] = [:]
    /// The keys of encrypted assets' bytes, by attribute.
    private(set) var assetKeys: [String: AssetContentKey] = [:]
    /// The size of the last encoding of the fields, in bytes.
    private(set) var encodedSize = 0
    /// The large values that are sent as assets, by attribute. The next property has their fields, set or cleared.
    private(set) var large: [String: Data] = [:]
    private(set) var largeFields: [String: WireAsset?] = [:]
    /// The keys of the record's encrypted fields after the push.
    var sealing = RecordSealing()
    /// Whether the object replaces a deleted one, whose values are unknown.
    private var isMadeAgain = false

    init(entity: SyncedEntity, rows: RowBatch, row: Int, builder: BatchBuilder, encoder: RecordEncoder) {
        self.entity = entity
        self.rows = rows
        self.row = row
        self.builder = builder
        self.encoder = encoder
        fields.reserveCapacity(entity.columns.count + entity.ownedLinks.count)
    }

    /// Adds the fields of these names, including cleared ones; nil adds all that have a value.
    mutating func add(_ names: Set<String>?) throws(RecordFault) {
        // All columns changed at once: the object replaces a deleted one, and its links are new too.
        isMadeAgain = names.map { names in entity.columns.allSatisfy { names.contains($0.name) } } ?? false
        for column in entity.columns where entity.sends(column) && names?.contains(column.name) ?? true {
            try add(column, isWhole: names == nil)
        }
        for property in entity.ownedLinks where names?.contains(property.name) ?? true || isMadeAgain {
            let targets = links[property.slot] ?? []
            if names == nil, targets.isEmpty { continue }
            fields[entity.wireName(of: property.name)] = encoder.links(targets)
        }
    }

    private mutating func add(_ column: ResolvedProperty, isWhole: Bool) throws(RecordFault) {
        if entity.isEncrypted(column) { return try addSealed(column, isWhole: isWhole) }
        let value = try encoder.value(row, column, of: rows)
        // Bytes from a foreign server have another name in the storage than on the wire.
        if case .asset = value, case .asset(let reference) = rows.value(row, column.slot) {
            guard builder.assets.contains(reference) else { return leaveOut(reference, column) }
            guard reference.size <= builder.limits.asset else {
                throw RecordFault(
                    "\(rows.objectID(at: row)).\(column.name) has \(reference.size) bytes; the server takes up to "
                        + "\(builder.limits.asset)")
            }
            assets[column.name] = reference
        }
        if value != nil || !isWhole { fields.updateValue(value, forKey: entity.wireName(of: column.name)) }
    }

    mutating func set(_ value: WireValue?, _ field: String) { fields.updateValue(value, forKey: field) }

    mutating func remove(_ field: String) { fields.removeValue(forKey: field) }

    mutating func noteLarge(_ asset: WireAsset?, _ field: String) { largeFields.updateValue(asset, forKey: field) }

    mutating func noteLarge(_ data: Data, _ reference: AssetReference, _ column: ResolvedProperty) {
        assets[column.name] = reference
        large[column.name] = data
    }

    /// Leaves out an asset whose bytes are not here. The record keeps its present field: that may be this very asset,
    /// with the only copy of the bytes.
    mutating func leaveOut(_ reference: AssetReference, _ column: ResolvedProperty) {
        var there = Value.null
        if case .value(let base)? = bases[column.name] { there = base }
        if there == .asset(reference) { return }
        if isMadeAgain, there.isNull {
            unread.updateValue(
                WireAsset(fileChecksum: reference.wireChecksum, size: reference.size),
                forKey: entity.wireName(of: column.name))
        } else {
            lostAssets.append(LostAsset(column: column, reference: reference, replacement: there))
        }
    }

    mutating func noteSealed(_ reference: AssetReference, _ key: AssetContentKey, _ column: ResolvedProperty) {
        assets[column.name] = reference
        assetKeys[column.name] = key
    }

    /// Adds the unknown fields of the former record. Bytes of assets are only on the server, and were deleted with the
    /// record.
    mutating func add(unknown data: Data) throws(RecordFault) {
        do {
            for (name, value) in try WireRecord.Fields(json: Array(data)).values where fields[name] == nil {
                switch value {
                case .asset, .assetList: continue
                default: fields[name] = value
                }
            }
        } catch {
            throw RecordFault("the stored unknown fields of \(rows.objectID(at: row)) are damaged: \(error)")
        }
    }

    /// Returns the record with the fields so far. The largest values become assets if the record has no room for them.
    ///
    /// - Parameters:
    ///   - tag: The tag of the changed record; nil for a new one.
    ///   - changed: The names of the changed properties; nil for a new record.
    ///   - unknown: The stored unknown fields of the record.
    mutating func record(
        name: String, tag: String?, changed: Set<String>?, unknown: Data?
    ) throws(RecordFault) -> WireRecord {
        var record = WireRecord(recordName: name, recordType: entity.wireName, recordChangeTag: tag)
        if let column = entity.entity.parentColumn {
            let isNew = changed?.contains(column.name) ?? true
            if rows.isNull(row, column.slot) {
                record.clearsParent = isNew && changed != nil
            } else if isNew || !builder.isOfOthers {
                // A participant does not name an unchanged parent, because a parent outside the share is hidden from
                // the participant.
                record.parent = try parent(rows.key(row, column.slot))
            }
        }
        do {
            let known = tag == nil ? [] : LargeFields.names(in: unknown, of: entity)
            if !known.isEmpty { clearLarge(known) }
            var encoded = try WireRecord.encodeFields(fields, of: name)
            if !entity.largeColumns.isEmpty {
                let beside = tag == nil ? 0 : sizeBeside(known)
                while encoded.count + beside > builder.limits.record,
                    try moveLargest(isWhole: tag == nil, known: known)
                {
                    encoded = try WireRecord.encodeFields(fields, of: name)
                }
            }
            guard encoded.count <= builder.limits.record else {
                throw RecordFault(
                    "\(rows.objectID(at: row)) has \(encoded.count) bytes without its assets; the server takes up to "
                        + "\(builder.limits.record)")
            }
            encodedSize = encoded.count
            // The fields of assets are encoded later, with their receipts.
            if assets.isEmpty { record.encodedFields = encoded } else { record.fields = fields }
        } catch let error as RecordFault {
            throw error
        } catch {
            throw RecordFault("\(rows.objectID(at: row)) cannot be sent: \(error)")
        }
        return record
    }

    /// Returns the object's parent for the record; nil if it was deleted: the server would refuse the record, and the
    /// reference has no use. In another user's zone the reference is sent, so that the server refuses a record without
    /// a parent.
    private func parent(_ key: ObjectKey) throws(RecordFault) -> WireReference? {
        if parents.missing.contains(key), !builder.isOfOthers { return nil }
        if let reason = parents.blocked[key] {
            throw RecordFault(rows.objectID(at: row), hangsOn: key, whichIsNotSent: reason)
        }
        return WireReference(recordName: encoder.name(of: key))
    }

    /// Returns the server's content of a property after the push, as a merge base; nil if it is unknown.
    func content(of property: ResolvedProperty) -> OutboxEntry.Base? {
        if unread[entity.wireName(of: property.name)] != nil { return nil }
        if let lost = lostAssets.first(where: { $0.column.slot == property.slot }) { return .value(lost.replacement) }
        return property.slot < entity.entity.columnCount
            ? .value(rows.value(row, property.slot)) : .links((links[property.slot] ?? []).sorted())
    }
}
