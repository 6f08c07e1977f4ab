import BackstitchSupport
import CloudWire

/// The effect of a plan on the sets of records visible in shares.
///
/// A share shows its own record, its root, and every live record whose chain of parents leads to the root. So the
/// shares of a record change in these cases: the record is made or deleted, it gets another parent, or a share with
/// this root begins or ends. The shares of all records below it change as well.
///
/// These records are found in two walks. One goes up from each changed record, to find the shares that show it
/// afterwards. The other goes down from those whose shares are different then.
struct HierarchyChange {
    /// The maximum number of parents above a moved record, in a zone with shares of records.
    static let deepest = 100
    /// The maximum number of records below changed ones that become visible or hidden with them.
    static let largest = 10_000
    /// The maximum number of shares that show one record, when it becomes visible in another one.
    static let mostShares = 20
    /// The maximum number of log entries that a request changes. A record has one for each share.
    static let mostEntries = 40_000

    /// A record, and the numbers of the shares that show it before and after the plan.
    struct Shown: Sendable {
        var name: String
        var before: Set<Int64>
        var after: Set<Int64>
        /// The bytes of the record in an answer; 0 if the plan writes the record itself.
        var weight = 0
        /// The place of the operation behind it; nil for a consequence of others.
        var cause: Int?
    }

    /// The records that the plan writes.
    let written: [Shown]
    /// Further records that become visible or hidden with these, the nearest first.
    let moved: [Shown]

    /// A record that the plan writes, in its later state.
    struct Change {
        var name: String
        var isLive: Bool
        var parent: String?
        /// Whether the record has another place afterwards, or is the root of other shares.
        var isElsewhere: Bool
        /// Whether the record is the root of a share.
        var isRoot: Bool
        /// The share whose own record it is.
        var share: Int64?
        /// The place of the operation behind it; nil for a consequence of others.
        var index: Int?
    }

    /// Walks up and down from the changed records.
    ///
    /// - Parameter begun: The shares that begin, by their roots.
    /// - Parameter ended: The shares that end. They show nothing any more, and their entries need no change.
    /// - Throws: BAD_REQUEST "limit exceeded" for a chain of parents that is too long, or too many moved records.
    init(
        _ changes: [Change], begun: [ByteText: Int64], ended: Set<Int64>, in zone: StoredZone,
        _ reading: ZoneSnapshot
    ) throws {
        var walk = HierarchyWalk(zone: zone.whole, reading: reading, ended: ended, begun: begun)
        let before = try walk.shown(changes.map(\.name))
        try walk.up(from: changes)
        var written = changes.map { change in
            let name = ByteText(change.name), old = before[name] ?? []
            let new = change.isElsewhere ? (change.isLive ? walk.above(name) : []) : old
            return Shown(name: change.name, before: old, after: new, cause: change.index)
        }
        moved = try walk.down(from: changes, &written)
        self.written = written
        try requireBounds()
    }

    /// Checks the number of entries. A record has one for each share that shows it, or has shown it.
    private func requireBounds() throws(WireError) {
        var entries = 0
        for record in written + moved {
            entries += record.before.union(record.after).count
            if record.after.count > Self.mostShares, !record.after.isSubset(of: record.before) {
                throw WireError(
                    .badRequest,
                    "\(WireError.limitExceededPrefix): more than \(Self.mostShares) shares would show '\(record.name)'")
            }
        }
        guard entries <= Self.mostEntries else {
            throw WireError(
                .badRequest,
                """
                \(WireError.limitExceededPrefix): the request changes \(entries) entries of the records that shares \
                show, at most \(Self.mostEntries); change fewer records at once
                """)
        }
    }
}

/// The walks up and down the hierarchy of parents.
private struct HierarchyWalk {
    private struct Node {
        var parent: String?
        var own: Set<Int64>
        var isLive = true
    }

    let zone: StoredZone
    let reading: ZoneSnapshot
    let ended: Set<Int64>
    let begun: [ByteText: Int64]
    private var nodes: [ByteText: Node] = [:]

    init(zone: StoredZone, reading: ZoneSnapshot, ended: Set<Int64>, begun: [ByteText: Int64]) {
        self.zone = zone
        self.reading = reading
        self.ended = ended
        self.begun = begun
    }

    /// The shares that show records at present.
    func shown(_ names: [String]) throws -> [ByteText: Set<Int64>] {
        var shown: [ByteText: Set<Int64>] = [:]
        for entry in try reading.visibility(zone, of: names) {
            if entry.share > 0, !entry.isGone, !ended.contains(entry.share) {
                shown[ByteText(entry.name), default: []].insert(entry.share)
            }
        }
        return shown
    }

    /// The shares with these roots, after the plan.
    private func ownShares(ofRoots roots: [String]) throws -> [ByteText: Set<Int64>] {
        var own: [ByteText: Set<Int64>] = [:]
        for (root, number) in try reading.shareNumbers(zone, ofRoots: roots) where !ended.contains(number) {
            own[ByteText(root), default: []].insert(number)
        }
        for root in roots {
            if let number = begun[ByteText(root)] { own[ByteText(root), default: []].insert(number) }
        }
        return own
    }

    /// Reads the records above those with a new place.
    mutating func up(from changes: [HierarchyChange.Change]) throws {
        let own = try ownShares(ofRoots: changes.filter { $0.isRoot && $0.isLive }.map(\.name))
        for change in changes {
            var shares = own[ByteText(change.name)] ?? []
            if let share = change.share { shares.insert(share) }
            nodes[ByteText(change.name)] = Node(parent: change.parent, own: shares, isLive: change.isLive)
        }
        var frontier = try unknownParents(of: changes.filter { $0.isElsewhere && $0.isLive }.map { ByteText($0.name) })
        var level = 0
        while !frontier.isEmpty {
            level += 1
            try Self.requireDepth(level)
            let places = try reading.places(zone, of: frontier.map(\.string))
            let own = try ownShares(ofRoots: places.filter { $0.flags.contains(.root) }.map(\.name))
            for name in frontier { nodes[name] = Node(parent: nil, own: [], isLive: false) }
            for place in places {
                let name = ByteText(place.name)
                nodes[name] = Node(parent: place.parent, own: own[name] ?? [])
            }
            frontier = try unknownParents(of: frontier)
        }
    }

    /// Checks the number of parents above a record.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" if there are too many.
    private static func requireDepth(_ depth: Int) throws(WireError) {
        guard depth <= HierarchyChange.deepest else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): a record has more than \(HierarchyChange.deepest) parents above it")
        }
    }

    /// The next unread parents above some records. The way up may pass records that the plan writes.
    private func unknownParents(of names: [ByteText]) throws(WireError) -> [ByteText] {
        var found: Set<ByteText> = []
        for name in names {
            var seen: Set<ByteText> = [], next = name
            while let node = nodes[next], node.isLive, seen.insert(next).inserted, let parent = node.parent {
                next = ByteText(parent)
                try Self.requireDepth(seen.count)
            }
            if nodes[next] == nil { found.insert(next) }
        }
        return Array(found)
    }

    /// The shares that show a record afterwards. They belong to all roots in its chain of parents.
    func above(_ name: ByteText) -> Set<Int64> {
        var shares: Set<Int64> = [], seen: Set<ByteText> = [], next: ByteText? = name
        while let name = next, let node = nodes[name], node.isLive, seen.insert(name).inserted {
            shares.formUnion(node.own)
            next = node.parent.map({ ByteText($0) })
        }
        return shares
    }

    /// Finds the records below those whose shares change.
    ///
    /// - Parameter written: The records that the plan writes. They may be among the found ones.
    func down(
        from changes: [HierarchyChange.Change], _ written: inout [HierarchyChange.Shown]
    ) throws -> [HierarchyChange.Shown] {
        var moved: [HierarchyChange.Shown] = []
        let places = Dictionary(uniqueKeysWithValues: changes.indices.map { (ByteText(changes[$0].name), $0) })
        var frontier: [ByteText: (after: Set<Int64>, cause: Int?)] = [:]
        for (index, change) in changes.enumerated()
        where change.isElsewhere && written[index].before != written[index].after {
            frontier[ByteText(change.name)] = (written[index].after, change.index)
        }
        var (count, level) = (0, 0)
        while !frontier.isEmpty {
            level += 1
            let room = HierarchyChange.largest + 1 - count
            let children = try reading.children(zone, of: frontier.keys.map(\.string), limit: room)
            count += children.count
            guard count <= HierarchyChange.largest else {
                throw WireError(
                    .badRequest,
                    """
                    \(WireError.limitExceededPrefix): more than \(HierarchyChange.largest) records lie below those \
                    that this request brings into a share, or out of one; move some of them first
                    """)
            }
            let before = try shown(children.map(\.name))
            let own = try ownShares(ofRoots: children.filter { $0.flags.contains(.root) }.map(\.name))
            var next: [ByteText: (after: Set<Int64>, cause: Int?)] = [:]
            for child in children {
                let name = ByteText(child.name)
                guard let parent = child.parent.flatMap({ frontier[ByteText($0)] }) else { continue }
                // A record with a new place is a start of its own.
                if let place = places[name], changes[place].isElsewhere { continue }
                let old = before[name] ?? [], new = parent.after.union(own[name] ?? [])
                if old == new { continue }
                // The depth is limited only for records on their way into sight. A share can always end, at any depth.
                if !new.isSubset(of: old) { try Self.requireDepth(level) }
                next[name] = (new, parent.cause)
                if let place = places[name] {
                    written[place].after = new
                } else {
                    moved.append(
                        HierarchyChange.Shown(
                            name: child.name, before: old, after: new, weight: child.weight, cause: parent.cause))
                }
            }
            frontier = next
        }
        return moved
    }
}
