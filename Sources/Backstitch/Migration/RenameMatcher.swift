/// Finds which thing of an older model a thing of a newer one is: by the names they have and had.
struct RenameMatcher {
    /// A name, and the one that was given as earlier.
    struct Name: Hashable {
        let name: String
        let earlier: String?
        /// The first name that is known of it.
        var first: String { earlier ?? name }
    }

    /// For each of `new` the position in `old` of what it was; each of `old` becomes at most one.
    ///
    /// A renaming that the model states is looked for first, so that the old name can be given to another. A name alone
    /// comes after that.
    ///
    /// - Parameter conditions: Which pairs of positions are possible: first those that satisfy the first condition,
    ///   then of those that are left the ones that satisfy the next.
    static func match(
        _ new: [Name], _ old: [Name], first conditions: [(Int, Int) -> Bool] = [{ _, _ in true }]
    ) -> [Int?] {
        var result = [Int?](repeating: nil, count: new.count)
        var taken: Set<Int> = []
        for isPossible in conditions {
            func pass(_ isSame: (Name, Name) -> Bool) {
                for (index, name) in new.enumerated() where result[index] == nil {
                    let found = old.indices.first {
                        !taken.contains($0) && isSame(name, old[$0]) && isPossible(index, $0)
                    }
                    guard let found else { continue }
                    result[index] = found
                    taken.insert(found)
                }
            }
            pass { $0.earlier != nil && $0 == $1 }
            pass { $0.earlier != nil && $1.earlier != nil && $0.earlier == $1.earlier }
            pass { $0.earlier != nil && $0.earlier == $1.name }
            pass { $0.name == $1.name }
            // Back to the name that it had before.
            pass { $0.name == $1.first }
        }
        return result
    }
}
