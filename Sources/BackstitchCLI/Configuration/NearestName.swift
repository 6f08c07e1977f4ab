/// Finds the name that the user probably meant.
enum NearestName {
    /// The nearest name, if at most a fifth of its letters differ, or one letter in a short name; see
    /// ``distance(_:_:)``.
    static func of(_ name: String, among names: [String]) -> String? {
        let distances = names.map { (name: $0, distance: distance(name, $0)) }
        guard let nearest = distances.min(by: { $0.distance < $1.distance }) else { return nil }
        return nearest.distance <= max(1, nearest.name.count / 5) ? nearest.name : nil
    }

    /// The number of letters to insert, remove, change, or exchange with the next one (Damerau, "A technique for
    /// computer detection and correction of spelling errors", 1964). The time is proportional to the product of the
    /// lengths.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left), right = Array(right)
        // The distances of all prefixes of `right` from the prefixes of `left` that are one and two letters shorter.
        var before: [Int] = [], last = Array(0...right.count)
        for row in left.indices {
            var next = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var least = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    least = min(least, before[column - 1] + 1)
                }
                next.append(least)
            }
            (before, last) = (last, next)
        }
        return last[right.count]
    }
}
