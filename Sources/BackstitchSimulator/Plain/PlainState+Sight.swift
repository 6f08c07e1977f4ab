// A guest's view of a zone with shared records: the shared records and their descendants.

extension PlainState.Zone {
    /// The entry or exit of a record in a guest's sight, with its position in the feed.
    struct Sight {
        var sequence: Int64
        var isIn: Bool
    }

    /// A record with its position in the feed.
    struct News {
        var position: Int64
        var record: PlainState.Record
    }

    /// A record that exists and is not deleted.
    func living(_ name: String) -> PlainState.Record? { records[name].flatMap { $0.isDeleted ? nil : $0 } }

    /// Whether the zone is shared as a whole.
    var isSharedWhole: Bool { records[PlainShare.name]?.share != nil }

    var sharesRecords: Bool { records.values.contains { $0.share?.root != nil } }

    /// The users who take part in any share of the zone.
    var guests: Set<String> { records.values.reduce(into: []) { $0.formUnion($1.share?.guests ?? []) } }

    /// A record and all its ancestors. A circle of parents ends at the first repeated record.
    private func way(up name: String) -> Set<String> {
        var way: Set<String> = [], next: String? = name
        while let name = next, let record = living(name), way.insert(name).inserted { next = record.parent }
        return way
    }

    /// The shares that include a record.
    func shares(above name: String) -> [PlainState.Record] {
        way(up: name).compactMap { records[$0]?.shareName }.sorted().compactMap(living)
    }

    /// The names of the records that a guest sees; nil for all.
    func sight(of user: String) -> Set<String>? {
        if isSharedWhole { return nil }
        let shares = records.values.filter { $0.share?.guests.contains(user) == true }
        let roots = Set(shares.compactMap { $0.share?.root })
        guard !roots.isEmpty else { return [] }
        let seen = records.keys.filter { !way(up: $0).isDisjoint(with: roots) }
        return Set(seen).union(shares.map(\.name))
    }

    /// Whether a guest may change a record and its descendants.
    func mayWrite(_ user: String, _ name: String) -> Bool {
        let all = isSharedWhole ? [records[PlainShare.name]].compactMap(\.self) : shares(above: name)
        return all.compactMap(\.share).contains {
            $0.guests.contains(user) && $0.part(of: user)?.permission == "READ_WRITE"
        }
    }

    /// Notes each record that has entered or left a guest's sight since an earlier state. Each such change gets its own
    /// position in the feed.
    mutating func noteSights(since before: Self) {
        guard sharesRecords || before.sharesRecords else { return }
        for user in before.guests.union(guests).sorted() {
            let old = before.sight(of: user) ?? Set(before.records.keys.filter { before.living($0) != nil })
            let new = sight(of: user) ?? Set(records.keys.filter { living($0) != nil })
            for name in old.symmetricDifference(new).sorted() {
                head += 1
                sights[user, default: [:]][name] = Sight(sequence: head, isIn: new.contains(name))
            }
        }
    }

    /// All entries of the feed for a guest; nil for the owner.
    func news(for user: String?) -> [News] {
        guard let user, let sight = sight(of: user) else {
            return records.values.map { News(position: $0.sequence, record: $0) }
        }
        let told = sights[user] ?? [:]
        let seen = sight.compactMap { name in
            records[name].map { News(position: max($0.sequence, told[name]?.sequence ?? 0), record: $0) }
        }
        // Only the owner can tell a deleted record from one that has left the sight.
        return seen
            + told.filter { !$0.value.isIn }.map { name, sight in
                News(
                    position: sight.sequence,
                    record: PlainState.Record(
                        name: name, tag: tag(ofChange: sight.sequence), sequence: sight.sequence, created: 0,
                        creator: "", modified: 0, modifier: "", isDeleted: true))
            }
    }

    // MARK: Changes

    /// Changes a record, which thereby gets a new version.
    mutating func change(_ name: String, at time: Int64, by user: String, _ change: (inout PlainState.Record) -> Void) {
        guard var record = living(name) else { return }
        change(&record)
        head += 1
        (record.sequence, record.tag) = (head, tag(ofChange: head))
        (record.modified, record.modifier) = (time, user)
        records[name] = record
    }

    /// Deletes a record. If a root is deleted, so is its share. If a share is deleted, its root is no longer shared.
    mutating func delete(_ name: String, at time: Int64, by user: String) {
        guard let living = living(name) else { return }
        head += 1
        records[name] = PlainState.Record(
            name: name, type: living.type, tag: tag(ofChange: head), sequence: head, created: living.created,
            creator: living.creator, modified: living.modified, modifier: living.modifier, isDeleted: true)
        if let root = living.share?.root { change(root, at: time, by: user) { $0.shareName = nil } }
        if let share = living.shareName { delete(share, at: time, by: user) }
    }
}
