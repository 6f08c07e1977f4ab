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
            for (item, record) in zip(part, try await client.records(named: part.map(\.key.uuidString))) {
                if let record {
                    late.append(record)
                } else if now - item.since > Self.longestJourney {
                    over.append(item.key)
                }
            }
        }
        if !over.isEmpty {
            try await onStore { [over] store in
                try store.writeJournal(author: SyncAuthor.name) { journal in
                    for key in over { try journal.removeNote(.withdrawn, of: key) }
                }
            }
        }
        return late
    }

    /// Milliseconds for which a request is expected to arrive that was given up: what lies between may keep it for
    /// minutes.
    private static let longestJourney: Int64 = 3_600_000
}

extension JournalReading {
    /// The objects whose inserts may still arrive, and when they were deleted. One that was made anew since is there.
    fileprivate func awaitedInserts() throws -> [(key: ObjectKey, since: Int64)] {
        let notes = try notes(.withdrawn)
        let keys = notes.map(\.subject)
        let states = try recordStates(for: keys), entries = try outbox(for: keys)
        return notes.filter { states[$0.subject] == nil && entries[$0.subject] == nil }
            .map { ($0.subject, $0.value) }.sorted { $0.key < $1.key }
    }
}
