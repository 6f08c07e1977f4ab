import Backstitch
import BackstitchSupport
import CloudWire

// Objects that another device has brought to their present zone, while this device was about to. The zone's feed may
// have told of it before, or may still tell, so the server is asked. Either it has the records, or the objects were
// deleted there.
extension SyncServices {
    /// The largest number of records in one request.
    private static let mostAsked = 200

    /// Asks the server for the records of objects that other devices have brought to their zones.
    ///
    /// - Returns: The changes, and the zones with something to send now. Nil if sync has moved the store to another
    ///   generation meanwhile: there is more to do.
    func settleEmptied() async throws -> (applied: AppliedChanges, unsent: Set<Int64>)? {
        guard settings.mayMove else { return (AppliedChanges(), []) }
        let (due, generation) = try await onWholeStore { store in
            try store.readJournal { (try $0.emptied(), try $0.generation()) }
        }
        var applied = AppliedChanges()
        var unsent: Set<Int64> = []
        for (zone, keys) in due.sorted(by: { $0.key < $1.key }) {
            guard let services = try await services(of: zone) else { continue }
            for part in keys.sorted().parts(of: min(client.limits.operations, Self.mostAsked)) {
                guard let settled = try await services.ask(for: Array(part), at: generation) else { return nil }
                applied.add(settled)
                if settled.hasUnsent { unsent.insert(zone) }
            }
        }
        return (applied, unsent)
    }

    private func ask(for keys: [ObjectKey], at generation: Int64) async throws -> AppliedChanges? {
        let records: [WireRecord?]
        do { records = try await client.records(named: keys.map(\.uuidString)) } catch let failure as SyncFailure
            where failure.kind == .zoneNotFound || failure.kind == .tokenRefused
        {
            // The next pull of the zone finds out about it.
            return AppliedChanges()
        }
        let news = RemoteChange.list(records.compactMap { $0 }, zone: settings.zone)
        let missing = zip(keys, records).compactMap { $1 == nil ? $0 : nil }
        return try await resolving { settings in
            try await onWholeStore { store in
                let applied = try settings.leavingOutRefused { settings in
                    try settings.generation.write(to: store, isStep: false) { journal -> AppliedChanges? in
                        guard try journal.generation() == generation else { return nil }
                        return try Self.take(news, missing, in: journal, settings)
                    }
                }
                guard let applied else { return nil }
                announce(applied.changes)
                reading.note(applied, inZone: settings.zoneNumber, isFeed: false)
                return applied
            }
        }
    }

    /// Applies the server's answer: its records, and the names without a record.
    ///
    /// - Parameter journal: The journal of the whole store.
    private static func take(
        _ news: [RemoteChange], _ missing: [ObjectKey], in journal: any JournalWriting, _ settings: ApplySettings
    ) throws -> AppliedChanges {
        var applier = try RemoteChangeApplier(
            journal: ZoneWriter(journal, settings.zoneNumber), settings: settings)
        applier.knownTags = { _ in .apply }
        var applied = try applier.apply(news)
        let due = try journal.emptied()[settings.zoneNumber] ?? []
        var judge = DeletionInDoubt(journal, settings)
        for (subject, note) in try journal.notes(.moves) {
            guard case .emptied = note.state, missing.contains(subject.key), due.contains(subject.key) else { continue }
            try judge.judgeMissing(ObjectID(entityName: note.entityName, key: subject.key), leftZone: subject)
        }
        if settings.resolver.hasOpenConflicts { throw OpenConflicts() }
        applied.add(judge.result)
        return applied
    }
}

extension JournalReading {
    /// The objects that other devices have brought to their present zones, grouped by these zones, as long as their
    /// records there are unknown here. Objects with a parked record or a blocked change are left out.
    fileprivate func emptied() throws -> [Int64: Set<ObjectKey>] {
        let subjects = try notes(.moves).compactMap { if case .emptied = $1.state { $0 } else { nil } }
        guard !subjects.isEmpty else { return [:] }
        let keys = subjects.map(\.key)
        let places = try zones(of: keys), states = try recordStates(for: keys), unsent = try outbox(for: keys)
        var due: [Int64: Set<ObjectKey>] = [:]
        let waiting = try ParkedByZone(self)
        for subject in subjects {
            let key = subject.key, place = places[key] ?? 0
            guard place != subject.zone, states[key]?.changeTag == nil, let entry = unsent[key],
                entry.kind != .delete, entry.blockedReason == nil, try !waiting.contains(key)
            else { continue }
            due[place, default: []].insert(key)
        }
        return due
    }
}
