/// The name that somebody has probably meant.
enum NearestName {
    /// The name that differs least, if it differs in a fifth of its letters or less, and in one at least: letters that
    /// are missing, too many, or others (Levenshtein, 1966).
    static func of(_ name: String, among names: [String]) -> String? {
        let distances = names.map { (name: $0, distance: distance(name, $0)) }
        guard let nearest = distances.min(by: { $0.distance < $1.distance }) else { return nil }
        return nearest.distance <= max(1, nearest.name.count / 5) ? nearest.name : nil
    }

    /// How many letters have to be put in, taken out or changed. Time and room in proportion to the lengths.
    static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let change = diagonal + (letter == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(change, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
