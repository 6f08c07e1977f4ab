import Backstitch
import BackstitchSupport
import CloudWire

// No feed reports records of the public database that are not followed here. An object may be deleted while its insert
// is still under way (`WithdrawnInserts`). The late record would then stay for ever. So it is requested by name, as
// long as the insert may still arrive.
extension SyncServices {
    /// The late records in the public database, of objects deleted here.
    func lateRecords() async throws -> [WireRecord] {
        let now = time.milliseconds()
        let awaited = try await onStore { try $0.readJournal { try $0.awaitedInserts() } }
        guard !awaited.isEmpty else { return [] }
        var late: [WireRecord] = []
        var over: [ObjectKey] = []
        for part in awaited.parts(of: min(client.limits.operations, 200)) {
            for (item, record) in zip(part, try await recordsOrNone(part.map(\.key.uuidString))) {
                if let record, settings.model.entity(ofType: record.recordType ?? "") != nil {
                    late.append(record)
                } else if now - item.since > WithdrawnInsert.maximumDelay {
                    over.append(item.key)
                }
            }
        }
        // An earlier process has noted these, and its clock was ahead.
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

    /// If the server refuses a name, the sync goes on: nothing is known of these records then.
    private func recordsOrNone(_ names: [String]) async throws -> [WireRecord?] {
        do { return try await client.records(named: names) } catch let failure as SyncFailure
            where failure.refusal != nil
        { return names.map { _ in nil } }
    }
}

extension JournalReading {
    /// The deleted objects with inserts that may still arrive, with the times of their deletion. Objects that are here
    /// again are left out.
    fileprivate func awaitedInserts() throws -> [(key: ObjectKey, since: Int64)] {
        let withdrawn = try withdrawnInserts(), keys = withdrawn.keys.sorted()
        let states = try recordStates(for: keys), entries = try outbox(for: keys)
        return withdrawn.filter { states[$0.key] == nil && entries[$0.key] == nil }.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value) }
    }
}
