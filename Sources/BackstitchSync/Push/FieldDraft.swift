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
    /// Those of the objects on which others hang that the server does not have.
    var parents = KnownParents()
    /// The values that the server has of changed properties, as far as the outbox knows them.
    var bases: [String: OutboxEntry.Base] = [:]

    private(set) var fields: [String: WireValue?] = [:]
    private(set) var assets: [String: AssetReference] = [:]
    private(set) var lostAssets: [LostAsset] = []
    /// The assets that are left out although nobody knows what the server has in their fields, by field.
    private(set) var unread: [String: WireAsset?] = [:]
    /// The keys of encrypted assets' bytes, by attribute.
    private(set) var assetKeys: [String: AssetContentKey] = [:]
    /// Bytes of the fields as they were encoded last.
    private(set) var encodedSize = 0
    /// The values that travel as assets, by attribute, and the fields of such values that are set or taken away.
    private(set) var large: [String: Data] = [:]
    private(set) var largeFields: [String: WireAsset?] = [:]
    /// The keys under which the record's encrypted fields are when it has arrived.
    var sealing = RecordSealing()
    /// Whether the object was made again in place of a deleted one, of whose values nothing is known.
    private var isMadeAgain = false

    init(entity: SyncedEntity, rows: RowBatch, row: Int, builder: BatchBuilder, encoder: RecordEncoder) {
        self.entity = entity
        self.rows = rows
        self.row = row
        self.builder = builder
        self.encoder = encoder
        fields.reserveCapacity(entity.columns.count + entity.ownedLinks.count)
    }

    /// Adds the fields of these names, cleared ones included; nil adds all that have a value.
    mutating func add(_ names: Set<String>?) throws(RecordFault) {
        // All columns changed at once: the object was made again in place of a deleted one, and its links with it.
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
        // Bytes that came from a server of another kind lie here under another name than the wire has for them.
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

    /// Leaves out an asset whose bytes are not here. The record keeps what it has in the field: that may be this very
    /// asset, and its bytes the only ones that there are.
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

    /// Adds fields that another version's record had. Bytes of assets are the server's alone, and gone with the record.
    mutating func add(unknown data: Data) throws(RecordFault) {
        do {
            for (name, value) in try WireRecord.Fields(json: Array(data)).values where fields[name] == nil {
                switch value {
                case .asset, .assetList: continue
                default: fields[name] = value
                }
            }
        } catch {
            throw RecordFault("what is kept of \(rows.objectID(at: row))'s other fields is damaged: \(error)")
        }
    }

    /// The record with the fields so far, of which the largest go as assets where there is no room for them.
    ///
    /// - Parameters:
    ///   - tag: The tag of the record that is changed; nil for a new one.
    ///   - changed: The names of the properties that have changed; nil for a record that is to be made.
    ///   - unknown: What is kept of the record's other fields.
    mutating func record(
        name: String, tag: String?, changed: Set<String>?, unknown: Data?
    ) throws(RecordFault) -> WireRecord {
        var record = WireRecord(recordName: name, recordType: entity.wireName, recordChangeTag: tag)
        if let column = entity.entity.parentColumn {
            let isNew = changed?.contains(column.name) ?? true
            if rows.isNull(row, column.slot) {
                record.clearsParent = isNew && changed != nil
            } else if isNew || !builder.isOfOthers {
                // A guest names no parent that was there before: that of an object which is shared by itself is not the
                // guest's to know.
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
            // Assets get their receipts later, so their fields are encoded then.
            if assets.isEmpty { record.encodedFields = encoded } else { record.fields = fields }
        } catch let error as RecordFault {
            throw error
        } catch {
            throw RecordFault("\(rows.objectID(at: row)) cannot be sent: \(error)")
        }
        return record
    }

    /// The object's parent as the record names it; nil for one that was deleted: the server would refuse the record,
    /// and nothing hangs on it any more. Of a guest it is to refuse that, as anything that would hang on nothing.
    private func parent(_ key: ObjectKey) throws(RecordFault) -> WireReference? {
        if parents.missing.contains(key), !builder.isOfOthers { return nil }
        if let reason = parents.blocked[key] {
            throw RecordFault(rows.objectID(at: row), hangsOn: key, whichIsNotSent: reason)
        }
        return WireReference(recordName: encoder.name(of: key))
    }

    /// Returns the content that the server has of a property once it has taken the record, as a merge base; nil where
    /// nobody knows it.
    func content(of property: ResolvedProperty) -> OutboxEntry.Base? {
        if unread[entity.wireName(of: property.name)] != nil { return nil }
        if let lost = lostAssets.first(where: { $0.column.slot == property.slot }) { return .value(lost.replacement) }
        return property.slot < entity.entity.columnCount
            ? .value(rows.value(row, property.slot)) : .links((links[property.slot] ?? []).sorted())
    }
}
