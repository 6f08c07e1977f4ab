/// Finds names similar to a misspelt one.
enum NearNames {
    /// Returns a hint for an unknown `name`: the similar names, or all names if none is similar.
    static func hint(_ name: String, among names: [String]) -> String {
        let near = near(name, among: names)
        return near.isEmpty
            ? "it has \(names.isEmpty ? "none" : names.joined(separator: ", "))"
            : "did you mean \(near.joined(separator: " or "))?"
    }

    /// Returns up to three similar names, nearest first: at most two letters differ, one for names of three letters or
    /// fewer.
    static func near(_ name: String, among names: [String]) -> [String] {
        let wanted = Array(name.lowercased().utf8.prefix(64))
        let limit = wanted.count > 3 ? 2 : 1
        return names.map { ($0, distance(wanted, Array($0.lowercased().utf8))) }
            .filter { $0.1 <= limit }
            .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
            .prefix(3).map(\.0)
    }

    /// The number of insertions, deletions and replacements between two names, without regard to case.
    static func distance(_ left: String, _ right: String) -> Int {
        distance(Array(left.lowercased().utf8), Array(right.lowercased().utf8))
    }

    /// The Levenshtein distance (V. Levenshtein, 1966).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var previous = Array(0...right.count)
        for (row, byte) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let replaced = previous[column] + (byte == other ? 0 : 1)
                current.append(min(replaced, previous[column + 1] + 1, current[column] + 1))
            }
            previous = current
        }
        return previous[right.count]
    }
}
