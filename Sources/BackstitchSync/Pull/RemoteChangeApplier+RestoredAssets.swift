import Backstitch
import CloudWire

// A device can send an asset again only if it has the bytes. After the server has gone back, a device without the bytes
// takes the server's asset. A device with the bytes sends them to a record without the asset.
extension RemoteChangeApplier {
    /// Returns whether the bytes of an object's asset are here, or the attribute is nil.
    func hasBytes(_ column: ResolvedProperty, of image: RecordImage) -> Bool {
        guard case .asset(let reference) = image.values[column.slot] else { return true }
        return settings.assets.contains(reference)
    }

    /// Takes some assets from the server's older version of a record.
    mutating func takeAssets(
        _ columns: [ResolvedProperty], of item: RemoteChange, _ there: RecordImage, _ entity: SyncedEntity,
        _ local: RecordImage
    ) throws {
        var image = local
        for column in columns { image.values[column.slot] = there.values[column.slot] }
        guard image.values != local.values, let record = item.record else { return }
        let row = image.row(item.key, of: entity.entity)
        try journal.upsert(row)
        try noteAssets(of: record, in: row, at: 0, entity)
        result.changes.updated.append(ObjectID(entityName: entity.entity.name, key: item.key))
    }

    /// Adds assets to the outbox that are missing in records of the server's new history. The server had acknowledged
    /// them, but the device that sent the record again did not have their bytes. An attribute emptied in the new
    /// history looks the same, and gets its asset back: the lesser harm.
    mutating func keepAssets(
        lackedBy news: [RemoteChange], away: Set<ObjectKey>, _ sequence: Int64
    ) throws {
        var lacking: [String: [ObjectKey: WireRecord]] = [:]
        for item in news {
            guard let record = item.record, record.faultyFields == nil, let state = states[item.key],
                isOfLaterHistory(item, than: state), !away.contains(item.key), elsewhere[item.key] == nil,
                entries[item.key].map({ $0.kind == .update }) ?? true,
                let entity = settings.model.entity(named: state.objectID.entityName),
                entity.assetColumns.contains(where: { record.value(entity.wireName(of: $0.name)) == nil })
            else { continue }
            lacking[state.objectID.entityName, default: [:]][item.key] = record
        }
        for (name, records) in lacking.sorted(by: { $0.key < $1.key }) {
            guard let entity = settings.model.entity(named: name) else { continue }
            let rows = try journal.rows(of: entity.entity, keys: records.keys.sorted())
            for row in 0..<rows.count {
                guard let record = records[rows.keys[row]] else { continue }
                try keepAssets(lackedBy: record, rows, row, entity, sequence)
            }
        }
    }

    private mutating func keepAssets(
        lackedBy record: WireRecord, _ rows: RowBatch, _ row: Int, _ entity: SyncedEntity, _ sequence: Int64
    ) throws {
        let key = rows.keys[row]
        var entry =
            entries[key]
            ?? OutboxEntry(
                objectID: rows.objectID(at: row), kind: .update, sequence: sequence, firstSequence: sequence)
        let known = Set(entry.fields.map(\.name))
        for column in entity.assetColumns where entity.sends(column) && !entity.keeps(column) {
            guard record.value(entity.wireName(of: column.name)) == nil, !known.contains(column.name),
                case .asset(let reference) = rows.value(row, column.slot), settings.assets.contains(reference)
            else { continue }
            entry.fields.append(.init(name: column.name, sequence: entry.sequence, base: .value(.null)))
        }
        guard entry.fields.count > known.count else { return }
        entry.fields.sort { $0.name < $1.name }
        // The merge finds the asset in the entry and takes everything else from the record.
        entries[key] = entry
        try journal.putOutbox([entry])
        result.hasUnsent = true
    }

    private func isOfLaterHistory(_ item: RemoteChange, than state: RecordState) -> Bool {
        guard let known = state.changeTag.flatMap({ ChangeTag($0) }), let tag = item.tag.flatMap({ ChangeTag($0) })
        else { return false }
        return tag.history > known.history
    }
}
