import Backstitch

/// Changes that are given up: their objects become what the server has, and go where it has none.
struct Reversal {
    private var entries: [OutboxEntry] = []
    private var reasons: [ObjectKey: String] = [:]
    private var news: [RemoteChange] = []

    /// Adds a change.
    ///
    /// - Parameter record: The server's record, or that there is none.
    mutating func add(_ entry: OutboxEntry, _ reason: String, _ record: RemoteChange) {
        entries.append(entry)
        reasons[entry.objectID.key] = reason
        news.append(record)
    }

    /// Gives the changes up, and adds to `applied` what that has changed here.
    func write(
        to journal: any JournalWriting, _ settings: ApplySettings, _ applied: inout AppliedChanges
    ) throws {
        guard !entries.isEmpty else { return }
        applied.reverted += try journal.reverted(entries, settings.model) { reasons[$0.objectID.key] ?? "" }
        applied.add(try journal.takeServers(news, inPlaceOf: entries, settings))
    }
}

extension JournalWriting {
    /// Drops unsent changes, and takes the server's records in their place.
    func takeServers(
        _ news: [RemoteChange], inPlaceOf entries: [OutboxEntry], _ settings: ApplySettings
    ) throws -> AppliedChanges {
        try removeOutbox(entries.map(\.objectID.key))
        let states = try recordStates(for: entries.map(\.objectID.key))
        // An object that never was on the server has no state by which its deletion would be understood.
        try putRecordStates(
            entries.filter { states[$0.objectID.key] == nil }.map {
                RecordState(objectID: $0.objectID, changeTag: nil)
            })
        var applier = try RemoteChangeApplier(journal: self, settings: settings)
        applier.knownTags = { _ in .apply }
        return try applier.apply(news)
    }
}
