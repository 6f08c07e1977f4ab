import Backstitch
import CloudWire

/// Judges moved objects whose marked records were deleted before they were emptied. Possible causes:
///
/// - The server received the deletion before it received the object in the target zone.
/// - The deleting user did not know of the target zone.
/// - Other devices have emptied the record, and the object is no longer in the target zone.
///
/// | the object | then |
/// |---|---|
/// | is coming back to the zone of the record | nothing: the record was in its way, and was deleted to clear it |
/// | has no unsent edits | it is deleted, here and in the target zone |
/// | has unsent edits | a conflict of an edit with a deletion, decided by the policy |
struct DeletionInDoubt {
    /// The journal of the whole store.
    let journal: any JournalWriting
    /// The settings of the object's present zone.
    let settings: ApplySettings
    private(set) var result = AppliedChanges()

    init(_ journal: any JournalWriting, _ settings: ApplySettings) {
        (self.journal, self.settings) = (journal, settings)
    }

    /// Judges one object after its marked record was deleted.
    ///
    /// - Parameter subject: The object, in the zone of the deleted record.
    /// - Parameter name: The name of this zone on the server.
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
            // Other devices may have edited the object in its present zone.
            if isKnown { note(id, [], winner: .server) }
            return try delete(id, image, entity, entry, isKnown: isKnown, in: own)
        }
        if try isDeleted(id, image, entity, entry, isKnown: isKnown, in: own) {
            try delete(id, image, entity, entry, isKnown: isKnown, in: own)
        }
    }

    /// Decides about unsent edits of a deleted object. If the edits stay, the outbox gets their new state.
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

    /// Judges an object that other devices brought to its zone, if the server has no record of it there. The object is
    /// deleted on this device only: the server has nothing to delete.
    mutating func judgeMissing(_ id: ObjectID, leftZone subject: ZonedKey) throws {
        try journal.removeNote(.moves, of: subject)
        let own = ZoneWriter(journal, settings.zoneNumber)
        guard let entity = settings.model.entity(named: id.entityName),
            let entry = try own.outbox(for: [id.key])[id.key], entry.kind != .delete, !entry.isMadeAnew,
            let image = try LocalImages(of: [id.key], entity, from: own)[id.key]
        else {
            // Its change is held back no longer.
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
        try ParentsDeletedElsewhere.note([id.key], of: entity, in: own, settings)
        try OrphanSettler.settle(in: own, settings, &result)
    }
}
