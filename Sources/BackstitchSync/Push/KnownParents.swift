import Backstitch

// CloudKit takes no record whose parent it does not have, unless both come in one request
// (VALIDATING_REFERENCE_ERROR). This project's server takes it, and shows it with the parent when that comes.

/// Tells which of the objects on which others hang the server has, as far as that is known here.
struct KnownParents {
    /// Those that it does not have, and that are not on their way: they have been deleted, or would go later, as in a
    /// circle of new objects that is cut somewhere.
    private(set) var missing: Set<ObjectKey> = []
    /// Those that are new, and have a change that is not sent, with the reason.
    private(set) var blocked: [ObjectKey: String] = [:]
    /// The change tags of their records, as far as these were here.
    private(set) var tags: [ObjectKey: String] = [:]

    /// Knowledge of nothing: all of them are named.
    init() {}

    /// Takes note that a change is not sent.
    mutating func block(_ key: ObjectKey, _ reason: String) { blocked[key] = reason }

    /// - Parameters:
    ///   - zone: The number of the zone in which the others are.
    ///   - followsMoves: Whether objects may be in other zones of the store.
    ///   - sent: The objects whose changes are sent, or are on their way; nil for all that are unsent.
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
    /// The fault of a change to an object that hangs on a new one whose own change is not sent.
    init(_ id: ObjectID, hangsOn parent: ObjectKey, whichIsNotSent reason: String) {
        self.init("\(id) hangs on \(parent), which is not sent: \(reason)")
        self.parent = parent
    }
}

extension BatchBuilder {
    /// Lets changes go that were blocked since those of others were on which they hang, as soon as these are sent, or
    /// are there no more.
    func releaseBelow(in journal: any JournalWriting) throws {
        let notes = try journal.notes(.blockedBelow)
        guard !notes.isEmpty else { return }
        let zones = followsMoves ? try journal.zones(of: notes.map(\.subject)) : [:]
        var noted: [ObjectKey: ObjectKey] = [:]
        for (key, parent) in notes where !followsMoves || zones[key] ?? 0 == zoneNumber { noted[key] = parent }
        // Each that is let go lets go those below it.
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

    /// The new objects on which others hang, and which would go in later batches than these: they go first, in a batch
    /// of their own, so that no save is torn for them that needs not be.
    ///
    /// - Parameter limit: How many changes there may be.
    /// - Returns: Their changes, topmost first; empty where there are none.
    func parents(
        of chosen: [OutboxEntry], limit: Int, excluding excluded: Set<ObjectKey>, in journal: any JournalReading
    ) throws -> [OutboxEntry] {
        var found: [OutboxEntry] = [], level = chosen
        var keys = Set(chosen.map(\.objectID.key)).union(excluded)
        var above: [ObjectKey: ObjectKey] = [:]
        while !level.isEmpty {
            let parents = try parents(of: level, in: journal)
            above.merge(parents) { $1 }
            let others = Set(parents.values).subtracting(keys).sorted()
            keys.formUnion(others)
            level = try newObjects(among: others, in: journal)
            found += level
        }
        guard !found.isEmpty else { return [] }
        // Some of the others may be in between.
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

    /// The unsent changes of those of some objects that the server does not have yet.
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

    private func parents(
        of entries: [OutboxEntry], in journal: any JournalReading
    ) throws -> [ObjectKey: ObjectKey] {
        let living = Dictionary(grouping: entries.filter { $0.kind != .delete }, by: \.objectID.entityName)
        var parents: [ObjectKey: ObjectKey] = [:]
        for entity in model.entities {
            guard let column = entity.entity.parentColumn, let entries = living[entity.entity.name] else { continue }
            let rows = try journal.rows(of: entity.entity, keys: entries.map(\.objectID.key))
            for row in 0..<rows.count where !rows.isNull(row, column.slot) {
                parents[rows.keys[row]] = rows.key(row, column.slot)
            }
        }
        return parents
    }
}
