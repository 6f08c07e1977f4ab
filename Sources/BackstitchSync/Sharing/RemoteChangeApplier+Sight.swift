import Backstitch

// In a zone of which the user sees a part, a record that leaves that part is told as a deletion. Which of the two it
// was nobody but its owner knows; so no edit of the user's makes it anew.

extension JournalReading {
    /// Whether the zone is one of which the user sees what hangs on single objects that somebody shares.
    func isSeenInPart(_ settings: ApplySettings) throws -> Bool {
        try settings.isOfOthers && !settings.isPublic && sharedRoots()[settings.zoneNumber] != nil
    }
}

extension RevertedChange {
    /// The reason for which changes of records are taken back that have left sight.
    static let outOfSight = "its owner does not share the object with this user any more, or somebody has deleted it"
}

extension RemoteChangeApplier {
    /// Takes back what was changed here of a record that has left sight, or was deleted, and has the object go.
    ///
    /// - Returns: Whether it did; else the deletion is merged with the changes.
    mutating func takesBack(_ item: RemoteChange, in gone: inout [[ObjectKey]]) throws -> Bool {
        guard settings.isOfOthers, item.record == nil, let entry = entries[item.key], entry.kind != .delete,
            let entity = settings.model.entity(named: entry.objectID.entityName), !ended.contains(item.key)
        else { return false }
        let mayHaveArrived = conflicting[item.key]?.mayHaveArrived ?? (unanswered[item.key] != nil)
        // An insert that never left is another life of the object.
        guard entry.kind != .insert && states[item.key]?.changeTag != nil || mayHaveArrived,
            try takesEditsBack || journal.isSeenInPart(settings)
        else { return false }
        let pushes = try journal.inFlightPushes()
        // This device's own doing, whose answer was lost: the object stays here.
        if pushes[item.key].contains(where: { $0[RecordMerge.removal] != nil }) { return false }
        result.reverted += try journal.reverted([entry], settings.model) { _ in RevertedChange.outOfSight }
        try journal.forgetTraces(of: [item.key])
        try dropParked(item)
        gone[entity.entity.index].append(item.key)
        notes.goneEntries.append(item.key)
        notes.goneStates.append(item.key)
        result.changes.deleted.append(entry.objectID)
        return true
    }
}
