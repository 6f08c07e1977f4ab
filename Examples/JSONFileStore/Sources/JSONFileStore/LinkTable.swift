import Backstitch

/// Links from sources to targets, which can be found from both ends.
struct LinkTable: Sendable {
    private(set) var targets: [ObjectKey: Set<ObjectKey>] = [:]
    private(set) var sources: [ObjectKey: Set<ObjectKey>] = [:]

    mutating func insert(_ source: ObjectKey, _ target: ObjectKey) {
        targets[source, default: []].insert(target)
        sources[target, default: []].insert(source)
    }

    mutating func remove(_ source: ObjectKey, _ target: ObjectKey) {
        targets[source]?.remove(target)
        sources[target]?.remove(source)
        if targets[source]?.isEmpty == true { targets[source] = nil }
        if sources[target]?.isEmpty == true { sources[target] = nil }
    }

    mutating func removeTargets(of source: ObjectKey) {
        for target in targets[source] ?? [] { remove(source, target) }
    }

    mutating func removeSources(of target: ObjectKey) {
        for source in sources[target] ?? [] { remove(source, target) }
    }
}
