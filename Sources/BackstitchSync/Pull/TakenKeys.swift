import Backstitch
import CloudWire

/// Parked records whose keys objects of other entities have. Such a record is tried again when the key is free. It need
/// not change for this.
struct TakenKeys {
    let journal: any JournalReading
    /// The settings of the journal's zone.
    let settings: ApplySettings

    /// The records whose keys are free now, as incoming changes. The key of an object with an unsent deletion is free:
    /// the record has taken the place of the object's record.
    func freeRecords() throws -> [RemoteChange] {
        let items = try journal.subjects(of: .takenKeys).compactMap { name in
            try journal.note(.parked, of: name)?.record.map { RemoteChange($0, zone: settings.zone) }
        }
        guard !items.isEmpty else { return [] }
        let keys = items.map(\.key)
        let states = try journal.recordStates(for: keys), entries = try journal.outbox(for: keys)
        let local = try localObjects(keys)
        return items.filter { item in
            let entry = entries[item.key]
            if entry?.kind == .delete { return true }
            guard let owner = entry?.objectID ?? states[item.key]?.objectID ?? local[item.key] else { return true }
            return owner.entityName == item.entity(settings.model)?.entity.name
        }
    }

    /// The objects with these keys that stay on this device, among entities that are synced in part.
    func localObjects(_ keys: [ObjectKey]) throws -> [ObjectKey: ObjectID] {
        var local: [ObjectKey: ObjectID] = [:]
        for entity in settings.model.heldEntities where entity.predicate != nil && !keys.isEmpty {
            let rows = try journal.rows(of: entity.entity, keys: keys)
            for row in 0..<rows.count { local[rows.keys[row]] = rows.objectID(at: row) }
        }
        return local
    }
}

extension RemoteChange {
    /// The entity of the record; nil for a deletion, and for a type that the model does not have.
    func entity(_ model: SyncedModel) -> SyncedEntity? {
        record?.recordType.flatMap { model.entity(ofType: $0) }
    }
}
