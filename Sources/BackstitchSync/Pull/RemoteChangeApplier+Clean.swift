import Backstitch
import CloudWire

extension RemoteChangeApplier {
    /// Writes the records unchanged as rows.
    mutating func applyClean(_ records: [CleanRecord], of entity: SyncedEntity) throws {
        var builder = RowBatchBuilder(entity: entity.entity, capacity: records.count)
        let kept = try keptValues(of: records, entity)
        let rewritten = try rewritten(among: records, entity)
        for item in records {
            builder.beginRow(key: item.news.key, version: 1)
            kept.append(item.decoded.cells, of: item.news.key, to: &builder)
            let id = ObjectID(entityName: entity.entity.name, key: item.news.key)
            notes.states.append(
                RecordState(
                    objectID: id, foreignName: item.news.foreignName, changeTag: item.news.tag,
                    unknownFields: item.decoded.unknownFields))
            if item.isNew {
                result.changes.inserted.append(id)
            } else if !rewritten.contains(item.news.key) {
                result.changes.updated.append(id)
            }
        }
        let rows = builder.finish()
        try journal.upsert(rows)
        noteParents(in: rows)
        for property in entity.ownedLinks {
            let known = records.filter { !$0.isNew }.map(\.news.key)
            let before = known.isEmpty ? [:] : try journal.links(of: property, in: entity.entity, sources: known)
            var change = LinkChange(entity: entity.entity, property: property)
            for item in records {
                change.replace(
                    before[item.news.key] ?? [], by: item.decoded.links[property.slot] ?? [], of: item.news.key)
            }
            if !change.isEmpty { try journal.change(change) }
        }
        if !entity.assetColumns.isEmpty {
            for (row, item) in records.enumerated() {
                if let record = item.news.record { try noteAssets(of: record, in: rows, at: row, entity) }
            }
        }
    }

    /// Returns the objects whose records hold the present local values: they were only encrypted again.
    private func rewritten(among records: [CleanRecord], _ entity: SyncedEntity) throws -> Set<ObjectKey> {
        let known = entity.hasEncryption ? records.filter { !$0.isNew } : []
        guard !known.isEmpty else { return [] }
        let local = try LocalImages(of: known.map(\.news.key), entity, from: journal)
        return Set(
            known.map(\.news.key).enumerated().filter { index, key in
                guard let here = local[key] else { return false }
                return known[index].decoded.image(key: key, of: entity, keeping: here) == here
            }.map(\.element))
    }

    /// Returns the local values of the columns that records do not set.
    private func keptValues(of records: [CleanRecord], _ entity: SyncedEntity) throws -> KeptValues {
        guard !entity.keptColumns.isEmpty else { return KeptValues(entity: entity, rows: nil) }
        return KeptValues(
            entity: entity,
            rows: try journal.rows(of: entity.entity, keys: records.filter { !$0.isNew }.map(\.news.key)))
    }

    /// Records the assets of a row that must be downloaded.
    mutating func noteAssets(of record: WireRecord, in rows: RowBatch, at row: Int, _ entity: SyncedEntity) throws {
        let automatic = settings.automaticAssets
        for column in entity.assetColumns {
            guard !rows.isNull(row, column.slot), case .asset(let reference) = rows.value(row, column.slot),
                automatic.include(column, of: entity.entity.name, size: reference.size),
                case .asset(let asset) = record.value(entity.wireName(of: column.name)),
                entity.isEncrypted(column)
                    ? asset.size == AssetFrames.sealedSize(reference.size) : reference.names(asset),
                !settings.assets.contains(reference)
            else { continue }
            let wanted = WantedAsset(
                objectID: rows.objectID(at: row), key: column.name, recordName: record.recordName, reference: reference,
                downloadURL: asset.downloadURL)
            try journal.setNote(.wanted, of: wanted.place, to: wanted)
            result.mayMissAssets = true
        }
    }
}

extension LinkChange {
    var isEmpty: Bool { added.isEmpty && removed.isEmpty }

    /// Adds the difference between a source's targets `old` and `new`.
    mutating func replace(_ old: [ObjectKey], by new: [ObjectKey], of source: ObjectKey) {
        guard old != new else { return }
        let before = Set(old), after = Set(new)
        added += new.filter { !before.contains($0) }.map { Link(source: source, target: $0) }
        removed += old.filter { !after.contains($0) }.map { Link(source: source, target: $0) }
    }
}

/// The values of columns that keep their local value when a record is received.
private struct KeptValues {
    let entity: SyncedEntity
    private let rows: RowBatch?
    private let positions: [ObjectKey: Int]

    init(entity: SyncedEntity, rows: RowBatch?) {
        self.entity = entity
        self.rows = rows
        positions = Dictionary(
            rows?.keys.enumerated().map { ($0.element, $0.offset) } ?? [], uniquingKeysWith: { $1 })
    }

    /// Appends a record's cells, with the local values in the kept columns.
    func append(_ cells: [DecodedCell], of key: ObjectKey, to builder: inout RowBatchBuilder) {
        guard !entity.keptColumns.isEmpty else {
            for cell in cells { builder.append(cell) }
            return
        }
        for (slot, cell) in cells.enumerated() {
            if !entity.keeps(entity.entity.properties[slot]) {
                builder.append(cell)
            } else if let rows, let row = positions[key] {
                builder.appendCell(slot, row: row, of: rows)
            } else {
                builder.append(entity.entity.defaults[slot])
            }
        }
    }
}
