import Backstitch
import CloudWire

// A record is parked if an object of another entity here has its key. The record is tried again when the key is free.
// It need not change for this.

extension SyncNotes where Subject == String, Value == Bool {
    /// Parked records whose keys other objects have, by their names.
    static var takenKeys: Self { Self(prefix: "sync.takenKeys/") }
}

extension JournalReading {
    /// Parked records whose keys are free now, as incoming changes. The key of an object with an unsent deletion is
    /// free: the record has taken the place of the object's record.
    ///
    /// - Parameter settings: The settings of the journal's zone.
    func recordsWithFreeKeys(_ settings: ApplySettings) throws -> [RemoteChange] {
        let items = try subjects(of: .takenKeys).compactMap { name in
            try note(.parked, of: name)?.record.map { RemoteChange($0, zone: settings.zone) }
        }
        guard !items.isEmpty else { return [] }
        let keys = items.map(\.key)
        let states = try recordStates(for: keys), entries = try outbox(for: keys)
        let local = try localObjects(keys, settings.model)
        return items.filter { item in
            let entry = entries[item.key]
            if entry?.kind == .delete { return true }
            guard let owner = entry?.objectID ?? states[item.key]?.objectID ?? local[item.key] else { return true }
            return owner.entityName == item.entity(settings.model)?.entity.name
        }
    }

    /// The objects with these keys that stay on this device, among entities that are synced in part.
    func localObjects(_ keys: [ObjectKey], _ model: SyncedModel) throws -> [ObjectKey: ObjectID] {
        var local: [ObjectKey: ObjectID] = [:]
        for entity in model.heldEntities where entity.predicate != nil && !keys.isEmpty {
            let rows = try rows(of: entity.entity, keys: keys)
            for row in 0..<rows.count { local[rows.keys[row]] = rows.objectID(at: row) }
        }
        return local
    }
}

extension RemoteChange {
    /// The entity of the record; nil for a deletion, and for a type that the model does not have.
    fileprivate func entity(_ model: SyncedModel) -> SyncedEntity? {
        record?.recordType.flatMap { model.entity(ofType: $0) }
    }
}

extension RemoteChangeApplier {
    /// Ends the deletion of an object if its key belongs to a record of another entity now: the object's own record is
    /// gone, and the deletion is not for the other one.
    mutating func endReplaced(_ item: RemoteChange) throws {
        guard let entry = entries[item.key], entry.kind == .delete, elsewhere[item.key] == nil,
            let entity = item.entity(settings.model), entity.entity.name != entry.objectID.entityName
        else { return }
        try journal.removeOutbox([item.key])
        try journal.endRecords([item.key], settings.model)
        entries[item.key] = nil
        states[item.key] = nil
    }

    /// Forgets a parked record that is gone on the server.
    ///
    /// - Returns: Whether it was the record of an object of this entity.
    mutating func dropParked(_ item: RemoteChange, of entity: SyncedEntity) throws -> Bool {
        let record = try journal.note(.parked, of: item.name)?.record
        guard try dropParked(item) else { return false }
        let type = record?.recordType.flatMap { settings.model.entity(ofType: $0) }
        return type == nil || type?.entity === entity.entity
    }
}
