/// Matches the items of a newer model with those of an older one, by their present and earlier names.
struct RenameMatcher {
    /// A name, with the earlier name that the model gives for it.
    struct Name: Hashable {
        let name: String
        let earlier: String?
        /// The earliest known name.
        var first: String { earlier ?? name }
    }

    /// For each item of `new`, returns its position in `old`; each item of `old` is matched at most once.
    ///
    /// An explicit renaming is matched first, so that the old name may be given to another item. Matches by name alone
    /// come after that.
    ///
    /// - Parameter conditions: The allowed pairs of positions. First pairs under the first condition are matched, then
    ///   the remaining items under the next one.
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
            // A return to the earlier name.
            pass { $0.name == $1.first }
        }
        return result
    }
}
