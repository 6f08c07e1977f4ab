import Backstitch

/// Changes to be given up. Their objects take the server's values; objects without a record on the server are deleted.
struct Reversal {
    private var entries: [OutboxEntry] = []
    private var reasons: [ObjectKey: String] = [:]
    private var news: [RemoteChange] = []

    /// Adds a change to be given up.
    ///
    /// - Parameter record: The server's record, or its absence.
    mutating func add(_ entry: OutboxEntry, _ reason: String, _ record: RemoteChange) {
        entries.append(entry)
        reasons[entry.objectID.key] = reason
        news.append(record)
    }

    /// Gives the changes up, and adds the results in this store to `applied`.
    func write(
        to journal: any JournalWriting, _ settings: ApplySettings, _ applied: inout AppliedChanges
    ) throws {
        guard !entries.isEmpty else { return }
        let reverted = try journal.reverted(entries, settings.model) { reasons[$0.objectID.key] ?? "" }
        let (taken, unread) = try journal.takeServers(news, inPlaceOf: entries, settings)
        applied.add(taken)
        applied.reverted += reverted.filter { unread[$0.objectID.key] == nil }
        // An unreadable record replaces no object. The change stays, but is no longer sent.
        let kept = entries.compactMap { entry in
            unread[entry.objectID.key].map { reason in
                var entry = entry
                entry.blockedReason =
                    "this user may not change it, and the owner's record cannot be read: \(reason)"
                return entry
            }
        }
        if !kept.isEmpty { try journal.putOutbox(kept) }
        applied.blocked += kept.map {
            BlockedChange(objectID: $0.objectID, kind: $0.kind, reason: $0.blockedReason ?? "")
        }
    }
}

extension JournalWriting {
    /// Drops unsent changes, and applies the server's records instead.
    ///
    /// - Returns: The changes made here, and the reasons for unreadable records, by the keys of their objects. These
    ///   objects are unchanged.
    func takeServers(
        _ news: [RemoteChange], inPlaceOf entries: [OutboxEntry], _ settings: ApplySettings
    ) throws -> (changes: AppliedChanges, unread: [ObjectKey: String]) {
        try removeOutbox(entries.map(\.objectID.key))
        let states = try recordStates(for: entries.map(\.objectID.key))
        // An object unknown to the server has no state. Without a state its deletion would not be understood.
        try putRecordStates(
            entries.filter { states[$0.objectID.key] == nil }.map {
                RecordState(objectID: $0.objectID, changeTag: nil)
            })
        var applier = try RemoteChangeApplier(journal: self, settings: settings)
        applier.knownTags = { _ in .apply }
        // In another user's zone it does not matter where the record is.
        applier.isEveryZoneRead = settings.isOfOthers
        return (try applier.apply(news), applier.parkedKeys)
    }
}
