package import Backstitch
import BackstitchSupport

extension JournalingStore {
    /// Forgets the server's knowledge, because the server has lost the zone or a new zone replaces it. Every object of
    /// the zone is unsent again, and nothing in the store is lost.
    ///
    /// - Parameters:
    ///   - keepsDeletions: Whether unsent deletions are still to be sent. Other devices may fill the new zone with
    ///     their copies of the objects. Otherwise there is nothing left to delete.
    ///   - generation: This process's count of sync's steps. By it the process notices others with the same store open.
    ///   - isAsked: Whether the program requests the reset. It then runs in any state of the store.
    package func forgetZone(
        _ model: SyncedModel, keepsDeletions: Bool = false, _ generation: SyncGeneration = SyncGeneration(),
        isAsked: Bool = true
    ) throws {
        try generation.reset(self, isAsked: isAsked) { try $0.forgetZone(model, keepsDeletions: keepsDeletions) }
    }

    /// Forgets the server's knowledge of all zones of a store, in any state of the store. New zones replace them, of
    /// the same user or of another one.
    ///
    /// - Parameter account: The new and the former owner of the zones; nil for no change.
    /// - Throws: ``SyncFailure`` of the kind `superseded` if the store has another owner by now.
    func forgetZones(
        _ model: SyncedModel, _ generation: SyncGeneration = SyncGeneration(), account: ChangeOfAccount? = nil
    ) throws {
        try generation.reset(self) { journal in
            try account?.write(to: journal)
            try journal.remove(.databaseToken)
            // The former user's deletions do not concern the new user.
            try journal.removeNotes(.withdrawn)
            try journal.removeNotes(.deletedBefore)
            for zone in try journal.allZones() {
                try ZoneWriter(journal, zone).forgetZone(model, keepsDeletions: false)
                try ZoneWriter(journal, zone).removeNotes(.keyPin)
            }
            try journal.removeNotes(.userKey)
        }
    }

    /// Removes every object of the zone, with its unsent changes and the knowledge of its record. Everything is then
    /// read from the server again. Nothing is deleted there.
    ///
    /// - Returns: The removed objects.
    func wipeZone(_ model: SyncedModel, _ generation: SyncGeneration, isAsked: Bool) throws -> [ObjectID] {
        try generation.reset(self, isAsked: isAsked) { journal in
            return try journal.wipeZone(model)
        }
    }

    /// Forgets a further zone, with everything in it.
    ///
    /// - Returns: The removed objects, and the lost unsent changes as conflicts. Also whether other zones now have
    ///   something to send. These rules apply to the lost changes:
    ///   - In another user's zone they are reverted changes instead of conflicts.
    ///   - Deletions are conflicts too, unless the server has reported the loss of the zone. Otherwise the same zone or
    ///     a new one may be there, and the objects come back.
    ///   - A deletion is still to be weighed if its object may have left the zone before; see ``DeletionsKept``.
    func dropZone(
        _ zone: Int64, _ model: SyncedModel, _ generation: SyncGeneration, isAsked: Bool, isOfOthers: Bool = false
    ) throws -> AppliedChanges {
        try generation.reset(self, isAsked: isAsked) { journal in
            let own = ZoneWriter(journal, zone)
            var dropped = AppliedChanges()
            let edited = try own.outbox(after: 0, limit: .max) + own.blockedOutbox()
            let isGone = try own.has(.gone)
            let deletions = try DeletionsKept(among: isOfOthers ? [] : edited, ofZone: zone, model, in: journal)
            if isOfOthers {
                dropped.reverted = try own.reverted(edited, model) { _ in
                    "the zone is not shared with this user any more"
                }
            } else {
                let lost = edited.filter { entry in
                    let key = entry.objectID.key
                    guard entry.kind == .delete else { return !entry.hasNoEdits }
                    return deletions.isGivenUp(key) || !isGone && !deletions.isKept(key)
                }
                dropped.conflicts = lost.map {
                    SyncConflict(
                        objectID: $0.objectID,
                        kind: $0.kind == .delete ? .deletedHereEditedThere : .editedHereDeletedThere,
                        keys: $0.fields.map(\.name), winner: .server)
                }
            }
            dropped.changes.deleted = try own.wipeZone(model)
            try journal.forget(zone: zone)
            if try deletions.write(to: journal) { dropped.hasUnsent = true }
            // The server may already have announced a new zone of this name.
            try journal.remove(.databaseToken)
            try journal.readParkedAgain()
            return dropped
        }
    }

    /// Removes every object of all zones of a store, in any state of the store. Afterwards only the main zone is left;
    /// further zones are found on the server again.
    ///
    /// - Parameters:
    ///   - generation: This process's count of sync's steps. By it the process notices others with the same store open.
    ///   - account: The new and the former owner of the zones; nil if the owner does not matter.
    ///   - discardingUnsent: Whether unsent changes may be lost.
    /// - Returns: The removed objects.
    /// - Throws: ``SyncFailure`` of the kind `superseded` if the store has another owner by now;
    ///   ``BackstitchError/Code/invalidRequest`` if there are unsent changes and they may not be lost.
    func wipe(
        _ model: SyncedModel, _ generation: SyncGeneration, account: ChangeOfAccount? = nil,
        discardingUnsent: Bool = true
    ) throws -> [ObjectID] {
        try generation.reset(self) { journal in
            try account?.write(to: journal)
            if !discardingUnsent { try journal.requireNothingUnsent() }
            let gone = try journal.allZones().flatMap { try ZoneWriter(journal, $0).wipeZone(model) }
            for zone in try journal.zones().keys { try journal.forget(zone: zone) }
            try journal.removeNotes(.moves)
            try journal.removeNotes(.wanted)
            try journal.removeNotes(.away)
            try journal.removeNotes(.merged)
            try journal.removeNotes(.pinned)
            try journal.removeNotes(.pausedTransfer)
            try journal.removeNotes(.heldUpload)
            try journal.removeNotes(.unauthorized)
            try journal.removeNotes(.lastUse)
            try journal.removeNotes(.keyPin)
            try journal.removeNotes(.userKey)
            try journal.removeNotes(.withdrawn)
            try journal.removeNotes(.deletedBefore)
            try journal.remove(.firstSync)
            try journal.remove(.databaseToken)
            // Another user may have other rights, and the server names them with the next pull.
            try journal.setCreatorRights(nil)
            return gone
        }
    }
}

extension JournalWriting {
    /// Forgets the server's knowledge of the journal's zone; see
    /// ``Backstitch/JournalingStore/forgetZone(_:keepsDeletions:_:isAsked:)``.
    fileprivate func forgetZone(_ model: SyncedModel, keepsDeletions: Bool) throws {
        try forgetRecords(model)
        let sequence = try lastTransactionNumber()
        for entity in model.heldEntities {
            for keys in try ownKeys(of: entity.entity).parts(of: 1_000) {
                try markUnsent(Array(keys), of: entity.entity, sequence: sequence)
            }
        }
        let deletions = try (outbox(after: 0, limit: .max) + blockedOutbox()).filter { $0.kind == .delete }
        if keepsDeletions {
            // An object may be deleted before it is sent again. The deletion must still be sent, since other devices
            // may have sent the object.
            try set(.attempted, to: max(sequence, value(of: .attempted) ?? 0))
            try putOutbox(deletions.filter { $0.blockedReason != nil }.map(\.unblocked))
        } else {
            try removeOutbox(deletions.map(\.objectID.key))
        }
        try forgetMoves(isRefilled: true)
        try forgetZoneState()
        try dropWaitingRecords()
        try dropParkedRecords()
    }

    /// Removes everything of the zone, and returns the removed objects.
    fileprivate func wipeZone(_ model: SyncedModel) throws -> [ObjectID] {
        var gone: [ObjectID] = []
        for entity in model.heldEntities.map(\.entity) {
            let keys = try ownKeys(of: entity)
            for chunk in keys.parts(of: 1_000) { try delete(Array(chunk), of: entity) }
            gone += keys.map { ObjectID(entityName: entity.name, key: $0) }
        }
        let entries = try outbox(after: 0, limit: .max) + blockedOutbox()
        try removeOutbox(entries.map(\.objectID.key))
        let records = try allRecordKeys()
        for key in try awayKeys().intersection(records) { try removeNote(.away, of: key) }
        try endRecords(records, model)
        try dropWaitingRecords()
        try dropParkedRecords()
        try forgetMoves(isRefilled: false)
        try forgetZoneState()
        // A running push may still write its knowledge of the removed records.
        try setSweep(.reapply)
        return gone
    }
}

extension JournalWriting {
    /// Marks further zones with parked records for a new read: an object of the lost zone may have been in the way of
    /// these records.
    fileprivate func readParkedAgain() throws {
        for zone in try zones().keys.sorted() {
            let own = ZoneWriter(self, zone)
            guard try own.has(.parkedCount) else { continue }
            try own.beginAgain()
            try own.setSweep(.reapply)
        }
    }
}

extension JournalReading {
    /// The keys of the entity's rows, without those of its subentities.
    func ownKeys(of entity: ResolvedEntity) throws -> [ObjectKey] {
        let keys = try allKeys(of: entity)
        guard !entity.subentityNames.isEmpty else { return keys }
        // In a family, each row has the name of its entity.
        return try keys.parts(of: 1_000).flatMap { chunk in
            let rows = try rows(of: entity, keys: Array(chunk))
            return (0..<rows.count).filter { rows.entityName(at: $0) == entity.name }.map { rows.keys[$0] }
        }
    }

    /// Whether the store holds no object.
    func isEmpty(_ model: SyncedModel) throws -> Bool {
        try model.heldEntities.allSatisfy { try allKeys(of: $0.entity).isEmpty }
    }
}

extension JournalWriting {
    /// Removes all record states. Exceptions are names that are not made from keys, and fields known only to a newer
    /// version.
    fileprivate func forgetRecords(_ model: SyncedModel) throws {
        for part in try allRecordKeys().parts(of: 1_000) {
            let keys = Array(part)
            let foreign = try recordStates(for: keys).values.filter {
                $0.foreignName != nil || $0.unknownFields != nil
            }
            try endRecords(keys, model)
            try putRecordStates(
                foreign.map {
                    RecordState(
                        objectID: $0.objectID, foreignName: $0.foreignName, changeTag: nil,
                        unknownFields: $0.unknownFields)
                })
        }
    }

    /// Gives each object an insert entry, marked as perhaps known to other devices. The noted changes since the last
    /// agreement are kept.
    fileprivate func markUnsent(_ keys: [ObjectKey], of entity: ResolvedEntity, sequence: Int64) throws {
        let entries = try outbox(for: keys)
        try putOutbox(
            keys.compactMap { key in
                guard var entry = entries[key] else {
                    return OutboxEntry(
                        objectID: ObjectID(entityName: entity.name, key: key), kind: .insert, sequence: sequence,
                        firstSequence: 0)
                }
                // The server had the record, and the object is here, so the record is to be there again.
                if entry.kind != .insert { entry.blockedReason = nil }
                entry.makeAnew()
                return entry
            })
    }
}
