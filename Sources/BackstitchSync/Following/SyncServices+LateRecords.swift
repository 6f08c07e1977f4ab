import Backstitch
import BackstitchSupport
import CloudWire

// No feed tells of records of the public database that nobody follows here: one that the insert of an object has made
// which was deleted meanwhile (`WithdrawnInserts`) would stay for everybody. So it is asked for by name, for as long as
// a request may be on its way.
extension SyncServices {
    /// The records that have come late to the public database, of objects that are deleted here.
    func lateRecords() async throws -> [WireRecord] {
        let now = clock.milliseconds()
        let awaited = try await onStore { try $0.readJournal { try $0.awaitedInserts() } }
        guard !awaited.isEmpty else { return [] }
        var late: [WireRecord] = []
        var over: [ObjectKey] = []
        for part in awaited.parts(of: min(client.limits.operations, 200)) {
            for (item, record) in zip(part, try await recordsOrNone(part.map(\.key.uuidString))) {
                if let record, settings.model.entity(ofType: record.recordType ?? "") != nil {
                    late.append(record)
                } else if now - item.since > WithdrawnInsert.longestJourney {
                    over.append(item.key)
                }
            }
        }
        // Noted by a clock that has been put back since.
        let early = awaited.filter { $0.since > now }.map(\.key)
        if !over.isEmpty || !early.isEmpty {
            try await onStore { [over] store in
                try store.writeJournal(author: SyncAuthor.name) { journal in
                    for key in early { try journal.setNote(.withdrawn, of: key, to: now) }
                    for key in over { try journal.removeNote(.withdrawn, of: key) }
                }
            }
        }
        return late
    }

    /// A name that the server refuses stops nothing: nothing is known of it then.
    private func recordsOrNone(_ names: [String]) async throws -> [WireRecord?] {
        do { return try await client.records(named: names) } catch let failure as SyncFailure
            where failure.refusal != nil
        { return names.map { _ in nil } }
    }
}

extension JournalReading {
    /// The objects whose inserts may still arrive, and when they were deleted, but for those that are here.
    fileprivate func awaitedInserts() throws -> [(key: ObjectKey, since: Int64)] {
        let withdrawn = try withdrawnInserts(), keys = withdrawn.keys.sorted()
        let states = try recordStates(for: keys), entries = try outbox(for: keys)
        return withdrawn.filter { states[$0.key] == nil && entries[$0.key] == nil }.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value) }
    }
}
