import Backstitch

// CloudKit refuses a record whose parent it does not have, unless both are in one request (VALIDATING_REFERENCE_ERROR).
// This project's server accepts it, and shows it with the parent when that arrives.

/// Knows which parent objects the server has, as far as the journal tells.
struct KnownParents {
    /// Parents that are neither on the server nor being sent. They were deleted, or would be sent later, as in a cut
    /// circle of new objects.
    private(set) var missing: Set<ObjectKey> = []
    /// New parents whose change is not sent, with the reason.
    private(set) var blocked: [ObjectKey: String] = [:]
    /// The change tags of their records, as far as they are known here.
    private(set) var tags: [ObjectKey: String] = [:]

    /// Creates an empty state: every parent is named in its record.
    init() {}

    /// Records that a change is not sent.
    mutating func block(_ key: ObjectKey, _ reason: String) { blocked[key] = reason }

    /// - Parameters:
    ///   - zone: The number of the children's zone.
    ///   - followsMoves: Whether objects may be in other zones of the store.
    ///   - sent: The objects whose changes are in this or a running batch; nil for all unsent ones.
    init(
        of parents: Set<ObjectKey>, inZone zone: Int64, followsMoves: Bool, sending sent: Set<ObjectKey>? = nil,
        _ journal: any JournalReading
    ) throws {
        guard !parents.isEmpty else { return }
        let keys = parents.sorted()
        let places = followsMoves ? try journal.zones(of: keys) : [:]
        let states = try journal.recordStates(for: keys)
        tags = states.compactMapValues(\.changeTag)
        func isHere(_ key: ObjectKey) -> Bool { places[key] ?? 0 == zone || !followsMoves }
        let unknown = keys.filter { states[$0]?.changeTag == nil || !isHere($0) }
        guard !unknown.isEmpty else { return }
        let entries = try journal.outbox(for: unknown)
        for key in unknown {
            guard let entry = entries[key], entry.kind != .delete, isHere(key) else {
                missing.insert(key)
                continue
            }
            blocked[key] = entry.blockedReason
            if entry.blockedReason == nil, sent?.contains(key) == false { missing.insert(key) }
        }
    }
}

extension RecordFault {
    /// Creates the fault of a change whose parent is new and not sent.
    init(_ id: ObjectID, hangsOn parent: ObjectKey, whichIsNotSent reason: String) {
        self.init("\(id) depends on \(parent), which is not sent: \(reason)")
        self.parent = parent
    }
}

extension BatchBuilder {
    /// Unblocks changes that waited for those of their parents, when the parents' changes are sent or are gone.
    func releaseBelow(in journal: any JournalWriting) throws {
        let notes = try journal.notes(.blockedBelow)
        guard !notes.isEmpty else { return }
        let zones = followsMoves ? try journal.zones(of: notes.map(\.subject)) : [:]
        var noted: [ObjectKey: ObjectKey] = [:]
        for (key, parent) in notes where !followsMoves || zones[key] ?? 0 == zoneNumber { noted[key] = parent }
        // Each unblocked object unblocks its children.
        while !noted.isEmpty {
            let known = try KnownParents(
                of: Set(noted.values), inZone: zoneNumber, followsMoves: followsMoves, journal)
            let free = noted.filter { known.blocked[$0.value] == nil }.keys.sorted()
            if free.isEmpty { return }
            try journal.putOutbox(
                try journal.outbox(for: free).values.filter { $0.blockedReason != nil }.map(\.unblocked))
            for key in free {
                try journal.removeNote(.blockedBelow, of: key)
                noted[key] = nil
            }
        }
    }

    /// Returns the new parents that would be sent in later batches than their children. They are sent first, in a
    /// separate batch, so that no save is cut for them without need.
    ///
    /// - Parameter limit: The most changes to return.
    /// - Returns: Their changes, topmost first; empty if there are none.
    func parents(
        of chosen: [OutboxEntry], limit: Int, excluding excluded: Set<ObjectKey>, in journal: any JournalReading
    ) throws -> [OutboxEntry] {
        var found: [OutboxEntry] = [], level = chosen
        var keys = Set(chosen.map(\.objectID.key)).union(excluded)
        var above: [ObjectKey: ObjectKey] = [:]
        while !level.isEmpty {
            let parents = try journal.parents(of: level.filter { $0.kind != .delete }.map(\.objectID), model)
            above.merge(parents) { $1 }
            let others = Set(parents.values).subtracting(keys).sorted()
            keys.formUnion(others)
            level = try newObjects(among: others, in: journal)
            found += level
        }
        guard !found.isEmpty else { return [] }
        // Other chosen objects may be between them.
        var needed: Set<ObjectKey> = []
        for entry in found {
            var next: ObjectKey? = entry.objectID.key
            while let key = next, needed.insert(key).inserted { next = above[key] }
        }
        let all = found + chosen
        let order = PushOrder.sorted(all, targets: all.map { above[$0.objectID.key].map { [$0] } ?? [] }) {
            $0.kind != .delete
        }
        return order.map { all[$0] }.filter { needed.contains($0.objectID.key) }.prefix(limit).map(\.self)
    }

    /// Returns the unsent changes of those objects that the server does not have yet.
    private func newObjects(among keys: [ObjectKey], in journal: any JournalReading) throws -> [OutboxEntry] {
        guard !keys.isEmpty else { return [] }
        let states = try journal.recordStates(for: keys)
        let entries = try journal.outbox(for: keys.filter { states[$0]?.changeTag == nil })
        let places = followsMoves ? try journal.zones(of: keys) : [:]
        return entries.values.filter { entry in
            entry.kind != .delete && entry.blockedReason == nil
                && (!followsMoves || places[entry.objectID.key] ?? 0 == zoneNumber)
        }.sorted { $0.objectID.key < $1.objectID.key }
    }
}

extension JournalReading {
    /// The parents of these objects, by the parent relationships of their entities. Objects that are not here are left
    /// out.
    func parents(of ids: [ObjectID], _ model: SyncedModel) throws -> [ObjectKey: ObjectKey] {
        var parents: [ObjectKey: ObjectKey] = [:]
        for (name, ids) in Dictionary(grouping: ids, by: \.entityName) {
            guard let entity = model.entity(named: name)?.entity, let column = entity.parentColumn else { continue }
            let rows = try rows(of: entity, keys: ids.map(\.key))
            for row in 0..<rows.count where !rows.isNull(row, column.slot) {
                parents[rows.keys[row]] = rows.key(row, column.slot)
            }
        }
        return parents
    }
}
