import BackstitchSupport
import CloudWire

/// Records that go, or would go, with deletions, and the references between them.
struct DeletionGraph {
    /// A reference that keeps a record.
    struct Reason {
        var target: String
        var source: String
    }

    /// The records by their places: first the roots, then what goes with them, nearest first.
    private(set) var names: [String]
    private(set) var edgeCount = 0
    private let rootCount: Int
    private var places: [ByteText: Int]
    /// By place: which records go with it.
    private var sources: [[Int]]
    /// By place: what it refers to, with either action.
    private var targets: [[Int]]
    /// References that demand their target.
    private var demands: [(source: String, target: Int)] = []

    init(roots: [String]) {
        names = roots
        rootCount = roots.count
        places = Dictionary(roots.enumerated().map { (ByteText($1), $0) }) { first, _ in first }
        sources = Array(repeating: [], count: roots.count)
        targets = sources
    }

    func hasSources(_ place: Int) -> Bool { !sources[place].isEmpty || demands.contains { $0.target == place } }

    /// Takes up a reference to one of the records; gives the source when it is a new one that goes with it.
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

    /// Takes up what a record demands that is being saved.
    mutating func addDemands(_ references: [StoredReference]) {
        for reference in references where reference.action == .validate {
            if let target = places[ByteText(reference.target)] { demands.append((reference.source, target)) }
        }
    }

    /// Which records must stay, by their places, each with a reference that keeps it: those that a record demands which
    /// stays, and whatever would take one of these along.
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
            // A record that no deletion reaches any more stays too, and keeps the records that it demands.
            let taken = Set(taken(without: kept))
            for place in rootCount..<names.count where kept[place] == nil && !taken.contains(place) {
                kept[place] = Reason(target: names[place], source: names[place])
                if !demandsFrom[place].isEmpty { open.append(place) }
            }
        }
        return kept
    }

    /// The places of what goes with the roots that are not kept, nearest first.
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
