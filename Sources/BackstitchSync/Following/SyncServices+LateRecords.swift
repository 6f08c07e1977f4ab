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
        let awaited = try await onStore { store in
            try store.readJournal { try $0.awaitedInserts() }.map { (key: $0, since: min($1, now)) }
        }
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
        try await keepTimes(of: awaited, besides: over)
        return late
    }

    /// A name that the server refuses stops nothing: nothing is known of it then.
    private func recordsOrNone(_ names: [String]) async throws -> [WireRecord?] {
        do { return try await client.records(named: names) } catch let failure as SyncFailure
            where failure.refusal != nil
        { return names.map { _ in nil } }
    }

    /// Forgets those that need not be asked for any more, and has those begin now that were noted by a clock which has
    /// been put back since.
    private func keepTimes(of awaited: [(key: ObjectKey, since: Int64)], besides over: [ObjectKey]) async throws {
        try await onStore { store in
            let known = try store.readJournal { try $0.withdrawnInserts() }
            let early = awaited.filter { known[$0.key] ?? $0.since > $0.since }
            guard !over.isEmpty || !early.isEmpty else { return }
            try store.writeJournal(author: SyncAuthor.name) { journal in
                for item in early { try journal.setNote(.withdrawn, of: item.key, to: item.since) }
                for key in over { try journal.removeNote(.withdrawn, of: key) }
            }
        }
    }
}

extension JournalReading {
    /// The objects whose inserts may still arrive, and when they were deleted, but for those that are here.
    fileprivate func awaitedInserts() throws -> [(ObjectKey, Int64)] {
        let withdrawn = try withdrawnInserts(), keys = withdrawn.keys.sorted()
        let states = try recordStates(for: keys), entries = try outbox(for: keys)
        return withdrawn.filter { states[$0.key] == nil && entries[$0.key] == nil }.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value) }
    }
}
