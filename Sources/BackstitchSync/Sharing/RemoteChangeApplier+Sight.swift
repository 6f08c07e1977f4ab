import Backstitch

// The user may see only a part of a zone. A record that leaves this part is reported as a deletion. Only its owner
// knows the difference, so an edit of this user never makes the record anew.

extension JournalReading {
    /// Whether the zone belongs to another user, who shares only single objects of it.
    func isSeenInPart(_ settings: ApplySettings) throws -> Bool {
        try settings.isOfOthers && !settings.isPublic && sharedRoots()[settings.zoneNumber] != nil
    }
}

extension RevertedChange {
    /// The reason for taking back changes of records outside the visible part.
    static let outOfSight = "its owner no longer shares the object with this user, or it was deleted"
}

extension RemoteChangeApplier {
    /// Whether the unsent changes of a record end with it: it was deleted or is no longer visible. If not, the deletion
    /// is merged with the changes.
    func losesChanges(_ item: RemoteChange, _ entry: OutboxEntry) throws -> Bool {
        guard settings.isOfOthers, item.record == nil, entry.kind != .delete, !ended.contains(item.key) else {
            return false
        }
        let mayHaveArrived = conflicting[item.key]?.mayHaveArrived ?? (unanswered[item.key] != nil)
        // An unsent insert is a new life of the object.
        guard entry.kind != .insert && states[item.key]?.changeTag != nil || mayHaveArrived,
            try takesEditsBack || journal.isSeenInPart(settings)
        else { return false }
        // If this device has deleted the record itself, and the answer was lost, the object stays here.
        return try !journal.inFlightPushes()[item.key].contains { $0[RecordMerge.removal] != nil }
    }

    /// Takes back the unsent changes of such a record, and deletes the object here.
    mutating func takeBack(_ item: RemoteChange, in gone: inout [[ObjectKey]]) throws {
        guard let entry = entries[item.key], let entity = settings.model.entity(named: entry.objectID.entityName)
        else { return }
        result.reverted += try journal.reverted([entry], settings.model) { _ in RevertedChange.outOfSight }
        try journal.forgetTraces(of: [item.key])
        try dropParked(item)
        gone[entity.entity.index].append(item.key)
        notes.goneEntries.append(item.key)
        notes.goneStates.append(item.key)
        result.changes.deleted.append(entry.objectID)
    }
}
