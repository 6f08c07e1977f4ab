package import Backstitch
import BackstitchSupport

extension JournalingStore {
    /// Forgets what the server knew, because it has lost the zone or another one takes its place: every object is
    /// unsent again, and nothing that is here is lost.
    ///
    /// - Parameters:
    ///   - account: The user whose zone it is from now on; nil for the same.
    ///   - keepsDeletions: Whether unsent deletions are still to be sent, because other devices may fill the next zone
    ///     with what they have of the objects. Else they have nothing left to delete.
    ///   - generation: The count of sync's steps as this process knows it, by which it notices others that have the
    ///     store open.
    ///   - isAsked: Whether the program wants it, whatever has become of the store meanwhile.
    package func forgetZone(
        _ model: SyncedModel, account: String? = nil, keepsDeletions: Bool = false,
        _ generation: SyncGeneration = SyncGeneration(), isAsked: Bool = true
    ) throws {
        try generation.reset(self, isAsked: isAsked) { journal in
            if let account { try journal.set(.account, to: account) }
            try journal.forgetRecords()
            let sequence = try journal.lastTransactionNumber()
            for entity in model.heldEntities {
                for keys in try journal.ownKeys(of: entity.entity).parts(of: 1_000) {
                    try journal.markUnsent(Array(keys), of: entity.entity, sequence: sequence)
                }
            }
            let deletions = try (journal.outbox(after: 0, limit: .max) + journal.blockedOutbox())
                .filter { $0.kind == .delete }
            if keepsDeletions {
                // An object that is deleted before it was sent again is still to be deleted there: others may have sent
                // it.
                let attempted = max(sequence, try journal.value(of: .attempted) ?? 0)
                try journal.set(.attempted, to: attempted)
                try journal.putOutbox(
                    deletions.filter { $0.blockedReason != nil }.map {
                        var entry = $0
                        entry.blockedReason = nil
                        return entry
                    })
            } else {
                try journal.removeOutbox(deletions.map(\.objectID.key))
            }
            try journal.forgetZoneState()
            try journal.dropWaitingRecords()
        }
    }

    /// Removes every object, with what is unsent of it and what is known of its record, so that everything is read from
    /// the server again. Nothing is deleted there.
    ///
    /// - Parameters:
    ///   - account: The user whose zone it is from now on; nil for the same.
    ///   - generation: The count of sync's steps as this process knows it, by which it notices others that have the
    ///     store open.
    ///   - isAsked: Whether the program wants it, whatever has become of the store meanwhile.
    /// - Returns: The objects that are gone.
    func wipe(
        _ model: SyncedModel, account: String? = nil, _ generation: SyncGeneration, isAsked: Bool
    ) throws -> [ObjectID] {
        try generation.reset(self, isAsked: isAsked) { journal in
            var gone: [ObjectID] = []
            for entity in model.heldEntities.map(\.entity) {
                let keys = try journal.ownKeys(of: entity)
                for chunk in keys.parts(of: 1_000) { try journal.delete(Array(chunk), of: entity) }
                gone += keys.map { ObjectID(entityName: entity.name, key: $0) }
            }
            let entries = try journal.outbox(after: 0, limit: .max) + journal.blockedOutbox()
            try journal.removeOutbox(entries.map(\.objectID.key))
            try journal.removeRecordStates(journal.allRecordKeys())
            try journal.dropWaitingRecords()
            try journal.removeNotes(.parked)
            try journal.removeNotes(.wanted)
            try journal.removeNotes(.away)
            try journal.removeNotes(.merged)
            try journal.removeNotes(.pinned)
            try journal.removeNotes(.lastUse)
            try journal.forgetZoneState()
            try journal.remove(.parkedCount)
            try journal.remove(.firstSync)
            if let account { try journal.set(.account, to: account) }
            // A push that is under way may still note what it knows of records that are gone here.
            try journal.setSweep(.reapply)
            return gone
        }
    }
}

extension JournalReading {
    /// Keys of the entity's rows, without those of its subentities.
    func ownKeys(of entity: ResolvedEntity) throws -> [ObjectKey] {
        let keys = try allKeys(of: entity)
        guard !entity.subentityNames.isEmpty else { return keys }
        // Of a family each row tells which entity it is.
        return try keys.parts(of: 1_000).flatMap { chunk in
            let rows = try rows(of: entity, keys: Array(chunk))
            return (0..<rows.count).filter { rows.entityName(at: $0) == entity.name }.map { rows.keys[$0] }
        }
    }

    /// Whether the store holds any object.
    func isEmpty(_ model: SyncedModel) throws -> Bool {
        try model.heldEntities.allSatisfy { try allKeys(of: $0.entity).isEmpty }
    }
}

extension JournalWriting {
    /// Removes all record states, but for the names that no key gives back, and the fields that only a newer version
    /// knows.
    fileprivate func forgetRecords() throws {
        for part in try allRecordKeys().parts(of: 1_000) {
            let keys = Array(part)
            let foreign = try recordStates(for: keys).values.filter {
                $0.foreignName != nil || $0.unknownFields != nil
            }
            try removeRecordStates(keys)
            try putRecordStates(
                foreign.map {
                    RecordState(
                        objectID: $0.objectID, foreignName: $0.foreignName, changeTag: nil,
                        unknownFields: $0.unknownFields)
                })
        }
    }

    /// Gives each object an insert entry, of which others may have the object too; what was changed of it since the
    /// last agreement stays known.
    fileprivate func markUnsent(_ keys: [ObjectKey], of entity: ResolvedEntity, sequence: Int64) throws {
        let entries = try outbox(for: keys)
        try putOutbox(
            keys.compactMap { key in
                guard var entry = entries[key] else {
                    return OutboxEntry(
                        objectID: ObjectID(entityName: entity.name, key: key), kind: .insert, sequence: sequence,
                        firstSequence: 0)
                }
                entry.makeAnew()
                return entry
            })
    }
}
