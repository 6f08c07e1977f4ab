import BackstitchSupport
import CloudWire

/// The effect of a plan on the sets of records that shares show.
///
/// A share shows its own record, its root, and every live record from which parents lead to the root. So what a record
/// is shown by changes where a record is made or deleted, gets another parent, or is the root of a share that begins or
/// ends; and for all records below it. These are found in two walks: up from each such record, to know what shows it
/// afterwards, and down from those for which that is something else than before.
struct HierarchyChange {
    /// Most parents above a record that gets another place, in a zone with shares of records.
    static let deepest = 100
    /// Most records below those that a request changes which come into sight, or go out of it, with them.
    static let largest = 10_000
    /// Most shares that show one record, when it comes into sight of another one.
    static let mostShares = 20
    /// Most entries of records and shares that a request changes.
    static let mostEntries = 40_000

    /// A record, and the numbers of the shares that show it.
    struct Shown: Sendable {
        var name: String
        var before: Set<Int64>
        var after: Set<Int64>
        /// Bytes that it takes in an answer; 0 for one that the plan writes itself.
        var weight = 0
        /// The operation behind it; nil for what follows from others.
        var cause: Int?
    }

    /// The records that the plan writes.
    let written: [Shown]
    /// Others that come into sight, or go out of it, with these; those first that are nearest.
    let moved: [Shown]

    /// A record that the plan writes, as it will be.
    struct Change {
        var name: String
        var isLive: Bool
        var parent: String?
        /// Whether the record is in another place afterwards, or is the root of other shares.
        var isElsewhere: Bool
        /// Whether the record is the root of a share.
        var isRoot: Bool
        /// The share whose own record it is.
        var share: Int64?
        /// The operation behind it; nil for what follows from others.
        var index: Int?
    }

    /// - Parameters:
    ///   - begun: The shares that begin, by their roots.
    ///   - ended: Shares that end, which show nothing any more, and whose entries need not be changed.
    /// - Throws: BAD_REQUEST "limit exceeded" for a chain of parents that is too long, or for too many records that
    ///   are moved along.
    init(
        _ changes: [Change], begun: [ByteText: Int64], ended: Set<Int64>, in zone: StoredZone,
        _ reading: any VisibilityReading
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

    /// Each record has an entry for each share that shows it, or has shown it.
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
                \(WireError.limitExceededPrefix): the request changes what shares show in \(entries) places, and may \
                change \(Self.mostEntries); change fewer records at once
                """)
        }
    }
}

/// The walks up and down.
private struct HierarchyWalk {
    private struct Node {
        var parent: String?
        var own: Set<Int64>
        var isLive = true
    }

    let zone: StoredZone
    let reading: any VisibilityReading
    let ended: Set<Int64>
    let begun: [ByteText: Int64]
    private var nodes: [ByteText: Node] = [:]

    init(zone: StoredZone, reading: any VisibilityReading, ended: Set<Int64>, begun: [ByteText: Int64]) {
        self.zone = zone
        self.reading = reading
        self.ended = ended
        self.begun = begun
    }

    /// The shares that show records now.
    func shown(_ names: [String]) throws -> [ByteText: Set<Int64>] {
        var shown: [ByteText: Set<Int64>] = [:]
        for entry in try reading.visibility(zone, of: names) {
            if entry.share > 0, !entry.isGone, !ended.contains(entry.share) {
                shown[ByteText(entry.name), default: []].insert(entry.share)
            }
        }
        return shown
    }

    /// The shares whose roots some records are, afterwards.
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

    /// Reads what lies above the records that get another place.
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

    private static func requireDepth(_ depth: Int) throws(WireError) {
        guard depth <= HierarchyChange.deepest else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): a record has more than \(HierarchyChange.deepest) parents above it")
        }
    }

    /// The parents of records that were not read yet. What a plan writes may lie on the way.
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

    /// The shares that show a record afterwards: those of all roots on its way up.
    func above(_ name: ByteText) -> Set<Int64> {
        var shares: Set<Int64> = [], seen: Set<ByteText> = [], next: ByteText? = name
        while let name = next, let node = nodes[name], node.isLive, seen.insert(name).inserted {
            shares.formUnion(node.own)
            next = node.parent.map({ ByteText($0) })
        }
        return shares
    }

    /// Finds what lies below records that are shown by other shares afterwards.
    ///
    /// - Parameter written: What the plan writes itself, which may be among them.
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
                // One that gets another place is a beginning of its own.
                if let place = places[name], changes[place].isElsewhere { continue }
                let old = before[name] ?? [], new = parent.after.union(own[name] ?? [])
                if old == new { continue }
                // Only on the way into sight: a share can always end, however deep its records lie.
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
