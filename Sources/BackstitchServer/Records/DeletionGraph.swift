import BackstitchSupport
import CloudWire

/// The records that deletions remove, directly or through DELETE_SELF, and the references between them.
struct DeletionGraph {
    /// A reference with VALIDATE that keeps its target.
    struct Reason {
        var target: String
        var source: String
    }

    /// The records by their places: first the roots, then the records that go with them, nearest first.
    private(set) var names: [String]
    private(set) var edgeCount = 0
    private let rootCount: Int
    private var places: [ByteText: Int]
    /// The places of the records that go with the record at a place.
    private var sources: [[Int]]
    /// The places of the record's targets. It goes with any of them.
    private var targets: [[Int]]
    /// References that demand their target, and so forbid its deletion.
    private var demands: [(source: String, target: Int)] = []

    init(roots: [String]) {
        names = roots
        rootCount = roots.count
        places = Dictionary(roots.enumerated().map { (ByteText($1), $0) }) { first, _ in first }
        sources = Array(repeating: [], count: roots.count)
        targets = sources
    }

    /// Whether any record refers to the record at a place.
    func hasSources(_ place: Int) -> Bool { !sources[place].isEmpty || demands.contains { $0.target == place } }

    /// Adds a reference to one of the records. Returns its source if the source is new and goes with the target.
    mutating func add(_ reference: StoredReference) -> String? {
        edgeCount += 1
        guard let target = places[ByteText(reference.target)] else { return nil }
        if reference.action == .validate {
            demands.append((reference.source, target))
            return nil
        }
        let known = places[ByteText(reference.source)]
        let source = known ?? names.count
        if known == nil {
            places[ByteText(reference.source)] = source
            names.append(reference.source)
            sources.append([])
            targets.append([])
        }
        sources[target].append(source)
        targets[source].append(target)
        return known == nil ? reference.source : nil
    }

    /// Adds the demands of a record that is being saved.
    mutating func addDemands(_ references: [StoredReference]) {
        for reference in references where reference.action == .validate {
            if let target = places[ByteText(reference.target)] { demands.append((reference.source, target)) }
        }
    }

    /// Finds the records that must stay, by their places. Each has the reference that keeps it.
    ///
    /// A record stays if a staying record demands it, or if its deletion would take a staying record along.
    mutating func settle() -> [Int: Reason] {
        var kept: [Int: Reason] = [:]
        var open: [Int] = []
        var demandsFrom: [[Int]] = Array(repeating: [], count: names.count)
        for (source, target) in demands {
            if let place = places[ByteText(source)] {
                demandsFrom[place].append(target)
            } else if kept.updateValue(Reason(target: names[target], source: source), forKey: target) == nil {
                open.append(target)
            }
        }
        while !open.isEmpty {
            while let place = open.popLast() {
                let further =
                    demandsFrom[place].map { ($0, Reason(target: names[$0], source: names[place])) }
                    + targets[place].compactMap { target in kept[place].map { (target, $0) } }
                for (target, reason) in further where kept[target] == nil {
                    kept[target] = reason
                    open.append(target)
                }
            }
            // A record out of reach of all deletions also stays, and keeps the records it demands.
            let taken = Set(taken(without: kept))
            for place in rootCount..<names.count where kept[place] == nil && !taken.contains(place) {
                kept[place] = Reason(target: names[place], source: names[place])
                if !demandsFrom[place].isEmpty { open.append(place) }
            }
        }
        return kept
    }

    /// The places of the records that go with the deleted roots, nearest first.
    ///
    /// - Parameter kept: The records that stay. A kept root takes no records along.
    func taken(without kept: [Int: Reason]) -> [Int] {
        var isSeen = Array(repeating: false, count: names.count)
        var queue: [Int] = []
        for root in 0..<rootCount where kept[root] == nil {
            isSeen[root] = true
            queue.append(root)
        }
        let rootsTaken = queue.count
        var next = 0
        while next < queue.count {
            for source in sources[queue[next]] where !isSeen[source] {
                isSeen[source] = true
                queue.append(source)
            }
            next += 1
        }
        // Roots are changes of their own.
        return queue[rootsTaken...].filter { $0 >= rootCount }
    }
}
