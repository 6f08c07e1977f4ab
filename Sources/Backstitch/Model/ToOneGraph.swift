/// Where the to-one relationships of a model lead that are columns, from family to family.
struct ToOneGraph {
    private var targets: [Int: Set<Int>] = [:]

    /// Notes a relationship between families, which are named by numbers.
    mutating func add(from source: Int, to target: Int) { targets[source, default: []].insert(target) }

    /// Whether such relationships lead from one family to another. Each leads to itself.
    func leads(from source: Int, to target: Int) -> Bool {
        var seen: Set<Int> = [source]
        var next = [source]
        while let family = next.popLast() {
            if family == target { return true }
            for other in targets[family] ?? [] where seen.insert(other).inserted { next.append(other) }
        }
        return false
    }
}
