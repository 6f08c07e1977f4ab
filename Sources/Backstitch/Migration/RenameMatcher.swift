/// Finds which thing of an older model a thing of a newer one is: by the names they have and had.
struct RenameMatcher {
    /// A name, and the one that was given as earlier.
    struct Name: Hashable {
        let name: String
        let earlier: String?
        /// What it was called first, as far as it says.
        var first: String { earlier ?? name }
    }

    /// For each of `new` the position in `old` of what it was; each of `old` becomes at most one.
    ///
    /// What says that it was renamed is looked for first, so that its old name can be given to another. A name alone comes after
    /// that.
    static func match(_ new: [Name], _ old: [Name]) -> [Int?] {
        var result = [Int?](repeating: nil, count: new.count)
        var taken: Set<Int> = []
        func pass(_ isSame: (Name, Name) -> Bool) {
            for (index, name) in new.enumerated() where result[index] == nil {
                guard let found = old.indices.first(where: { !taken.contains($0) && isSame(name, old[$0]) }) else {
                    continue
                }
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
        return result
    }
}
