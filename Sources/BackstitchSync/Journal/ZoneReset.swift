package import Backstitch
import BackstitchSupport

extension JournalingStore {
    /// Forgets what the server knew, because it has lost the zone or another one takes its place: every object of the
    /// zone is unsent again, and nothing that is here is lost.
    ///
    /// - Parameters:
    ///   - keepsDeletions: Whether unsent deletions are still to be sent, because other devices may fill the next zone
    ///     with what they have of the objects. Else they have nothing left to delete.
    ///   - generation: The count of sync's steps as this process knows it, by which it notices others that have the
    ///     store open.
    ///   - isAsked: Whether the program wants it, whatever has become of the store meanwhile.
    package func forgetZone(
        _ model: SyncedModel, keepsDeletions: Bool = false, _ generation: SyncGeneration = SyncGeneration(),
        isAsked: Bool = true
    ) throws {
        try generation.reset(self, isAsked: isAsked) { try $0.forgetZone(model, keepsDeletions: keepsDeletions) }
    }

    /// The same for all zones of a store, whatever has become of it: other ones take their places, of the same user or
    /// of another.
    ///
    /// - Parameter account: The user whose they are from now on, and until now; nil for the same.
    /// - Throws: ``SyncFailure`` of the kind `superseded` where the store is another one's by now.
    func forgetZones(
        _ model: SyncedModel, _ generation: SyncGeneration = SyncGeneration(), account: ChangeOfAccount? = nil
    ) throws {
        try generation.reset(self) { journal in
            try account?.write(to: journal)
            try journal.remove(.databaseToken)
            // The former user's deletions are no business of this one.
            try journal.removeNotes(.withdrawn)
            try journal.removeNotes(.onward)
            try journal.removeNotes(.deletedBefore)
            for zone in try journal.allZones() {
                try ZoneWriter(journal, zone).forgetZone(model, keepsDeletions: false)
                try ZoneWriter(journal, zone).removeNotes(.keyPin)
            }
            try journal.removeNotes(.userKey)
        }
    }

    /// Removes every object of the zone, with what is unsent of it and what is known of its record, so that everything
    /// is read from the server again. Nothing is deleted there.
    ///
    /// - Returns: The objects that are gone.
    func wipeZone(_ model: SyncedModel, _ generation: SyncGeneration, isAsked: Bool) throws -> [ObjectID] {
        try generation.reset(self, isAsked: isAsked) { journal in
            if let own = journal as? ZoneWriter { try own.writing.takeBackMoves(to: own.zone) }
            return try journal.wipeZone(model)
        }
    }

    /// Forgets a zone beside the main one, with all that is in it.
    ///
    /// - Returns: The objects that are gone, and as conflicts those that had changes that the server does not have.
    ///   Deletions are among them unless the server has said that the zone is gone: another one may be in its place, or
    ///   it may be the same, and then the objects come back. In a zone of somebody else they are changes that were
    ///   taken back. Those of objects that may have left the zone before are still to be weighed; see
    ///   ``DeletionsKept``. Also whether other zones have something to send since.
    func dropZone(
        _ zone: Int64, _ model: SyncedModel, _ generation: SyncGeneration, isAsked: Bool, isOfOthers: Bool = false
    ) throws -> AppliedChanges {
        try generation.reset(self, isAsked: isAsked) { journal in
            let own = ZoneWriter(journal, zone)
            var dropped = AppliedChanges()
            dropped.hasUnsent = try journal.takeBackMoves(to: zone)
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
                        keys: $0.edits.map(\.name), winner: .server)
                }
            }
            dropped.changes.deleted = try own.wipeZone(model)
            try journal.forget(zone: zone)
            if try deletions.write(to: journal) { dropped.hasUnsent = true }
            // Another one of its name may be there by now, which the server has told of already.
            try journal.remove(.databaseToken)
            try journal.readParkedAgain()
            return dropped
        }
    }

    /// The same for all zones of a store, whatever has become of it. It has but its main one then; other zones are
    /// found on the server again.
    ///
    /// - Parameters:
    ///   - generation: The count of sync's steps as this process knows it, by which it notices others that have the
    ///     store open.
    ///   - account: The user whose they are from now on, and until now; nil where that does not matter.
    ///   - discardingUnsent: Whether changes that the server does not have may be lost.
    /// - Returns: The objects that are gone.
    /// - Throws: ``SyncFailure`` of the kind `superseded` where the store is another user's by now;
    ///   ``BackstitchError/Code/invalidRequest`` when there are changes that may not be lost.
    func wipe(
        _ model: SyncedModel, _ generation: SyncGeneration, account: ChangeOfAccount? = nil,
        discardingUnsent: Bool = true
    ) throws -> [ObjectID] {
        try generation.reset(self) { journal in
            try account?.write(to: journal)
            if !discardingUnsent { try journal.requireNothingUnsent() }
            let gone = try journal.allZones().flatMap { try ZoneWriter(journal, $0).wipeZone(model) }
            for zone in try journal.zones().keys { try journal.forget(zone: zone) }
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
            try journal.removeNotes(.onward)
            try journal.removeNotes(.deletedBefore)
            try journal.remove(.firstSync)
            try journal.remove(.databaseToken)
            return gone
        }
    }
}

extension JournalWriting {
    /// Forgets what the server knew of the zone that the journal is of; see
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
            // An object that is deleted before it was sent again is still to be deleted there: others may have sent it.
            try set(.attempted, to: max(sequence, value(of: .attempted) ?? 0))
            try putOutbox(deletions.filter { $0.blockedReason != nil }.map(\.unblocked))
        } else {
            try removeOutbox(deletions.map(\.objectID.key))
        }
        try forgetMoves(isRefilled: true, model)
        try forgetZoneState()
        try dropWaitingRecords()
        try dropParkedRecords()
    }

    /// Removes all that is of the zone; gives the objects that are gone.
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
        for key in try Set(subjects(of: .onward)).intersection(gone.map(\.key)) { try removeNote(.onward, of: key) }
        try endRecords(records, model)
        try dropWaitingRecords()
        try dropParkedRecords()
        try forgetMoves(isRefilled: false, model)
        try forgetZoneState()
        // A push that is under way may still note what it knows of records that are gone here.
        try setSweep(.reapply)
        return gone
    }
}

extension JournalWriting {
    /// Has zones beside the main one read again in which records are parked: an object of a zone that is gone may have
    /// stood in their way.
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
                // A record that the server had is to be there again, as its object is here.
                if entry.kind != .insert { entry.blockedReason = nil }
                entry.makeAnew()
                return entry
            })
    }
}
