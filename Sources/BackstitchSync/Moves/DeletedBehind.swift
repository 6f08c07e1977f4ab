import Backstitch
import CloudWire

/// Judges objects that somebody has deleted while they moved: their marked records were deleted before they were
/// emptied. The server has heard of the deletion before it had the object in the other zone, or the deleter did not
/// know of that one. Or others have emptied the record, and the object is not in the other zone any more.
///
/// | the object | then |
/// |---|---|
/// | is on its way back | the record was in its way, and was deleted for that |
/// | has no unsent edits | it is deleted, here and in the other zone |
/// | has some | a conflict of an edit with a deletion, as the policy says |
struct DeletedBehind {
    /// The whole store's.
    let journal: any JournalWriting
    /// Those of the zone in which the object is.
    let settings: ApplySettings
    private(set) var result = AppliedChanges()

    init(_ journal: any JournalWriting, _ settings: ApplySettings) {
        (self.journal, self.settings) = (journal, settings)
    }

    /// - Parameters:
    ///   - subject: The object, in the zone of the deleted record.
    ///   - name: That zone's name on the server.
    mutating func judge(_ id: ObjectID, leftZone subject: ZonedKey, named name: String) throws {
        try journal.removeNote(.moves, of: subject)
        let place = ZonedKey(zone: settings.zoneNumber, key: id.key)
        guard try journal.note(.moves, of: place)?.leads(to: name) != true,
            let entity = settings.model.entity(named: id.entityName)
        else { return }
        let own = ZoneWriter(journal, settings.zoneNumber)
        let entry = try own.outbox(for: [id.key])[id.key]
        guard let image = try LocalImages(of: [id.key], entity, from: own)[id.key], entry?.kind != .delete else {
            return
        }
        let isKnown = try own.recordStates(for: [id.key])[id.key]?.changeTag != nil
        guard let entry, !entry.hasNoEdits else {
            // Others may have edited it where it is by now.
            if isKnown { note(id, [], winner: .server) }
            return try delete(id, image, entity, entry, isKnown: isKnown, in: own)
        }
        if try isDeleted(id, image, entity, entry, isKnown: isKnown, in: own) {
            try delete(id, image, entity, entry, isKnown: isKnown, in: own)
        }
    }

    /// Decides about unsent edits of a deleted object, and notes what becomes of them where they stay.
    ///
    /// - Returns: Whether the deletion stands.
    private mutating func isDeleted(
        _ id: ObjectID, _ image: RecordImage, _ entity: SyncedEntity, _ entry: OutboxEntry, isKnown: Bool,
        in own: ZoneWriter
    ) throws -> Bool {
        var entry = entry
        switch settings.decide(deletionOf: id, image, entity.entity, entry) {
        case .winner(let winner, _):
            note(id, entry.edits.map(\.name), winner: winner)
            guard winner == .client else { return true }
            guard !isKnown else { return false }
            entry.makeAnew()
            result.hasUnsent = true
        case .refused(let reason):
            entry.blockedReason = reason
            result.blocked.append(BlockedChange(objectID: id, kind: entry.kind, reason: reason))
        case .deferred: return false
        }
        try own.putOutbox([entry])
        return false
    }

    /// Judges an object that others have brought to its zone, and of which the server has no record there. It is
    /// deleted here only: there is nothing to delete elsewhere.
    mutating func judgeMissing(_ id: ObjectID, leftZone subject: ZonedKey) throws {
        try journal.removeNote(.moves, of: subject)
        let own = ZoneWriter(journal, settings.zoneNumber)
        guard let entity = settings.model.entity(named: id.entityName),
            let entry = try own.outbox(for: [id.key])[id.key], entry.kind != .delete, !entry.isMadeAnew,
            let image = try LocalImages(of: [id.key], entity, from: own)[id.key]
        else {
            // Nothing keeps its change back any more.
            result.hasUnsent = true
            return
        }
        guard try entry.hasNoEdits || isDeleted(id, image, entity, entry, isKnown: false, in: own) else { return }
        result.changes.deleted.append(id)
        try own.delete([id.key], of: entity.entity)
        try own.removeOutbox([id.key])
        try own.endRecords([id.key], settings.model)
        try endOrphans(of: id, entity, in: own)
    }

    private mutating func note(_ id: ObjectID, _ keys: [String], winner: SyncConflict.Side) {
        result.conflicts.append(
            SyncConflict(objectID: id, kind: .editedHereDeletedThere, keys: keys, winner: winner))
    }

    private mutating func delete(
        _ id: ObjectID, _ image: RecordImage, _ entity: SyncedEntity, _ entry: OutboxEntry?, isKnown: Bool,
        in own: ZoneWriter
    ) throws {
        result.changes.deleted.append(id)
        let isToBeSent = try own.delete(
            id, image, of: entity.entity, entry, isKnown: isKnown, number: { try own.takeTransactionNumber() })
        if isToBeSent { result.hasUnsent = true } else { try own.endRecords([id.key], settings.model) }
        try endOrphans(of: id, entity, in: own)
    }

    private mutating func endOrphans(of id: ObjectID, _ entity: SyncedEntity, in own: ZoneWriter) throws {
        try BereftParents.note([id.key], of: entity, in: own, settings)
        try OrphanSettler.settle(in: own, settings, &result)
    }
}
