/// The to-one relationships of a model with columns, as a graph of families.
struct ToOneGraph {
    private var targets: [Int: Set<Int>] = [:]

    /// Adds a relationship between two families, each given by its number.
    mutating func add(from source: Int, to target: Int) { targets[source, default: []].insert(target) }

    /// Whether such relationships lead from one family to another. Each family leads to itself.
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
