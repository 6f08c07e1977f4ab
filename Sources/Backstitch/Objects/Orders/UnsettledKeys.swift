/// Keys whose links were made or taken away, and whose places are not settled yet: mostly one, which is kept without a
/// set.
struct UnsettledKeys {
    /// One of them; nil when there is none, or all are others.
    private var latest: ObjectKey?
    /// Whether ``latest`` has become a member just now, so that no order has it.
    private var isLatestNew = false
    private var others: Set<ObjectKey> = []

    /// Whether there is none.
    var isEmpty: Bool { latest == nil && others.isEmpty }

    /// Whether there is none but this one.
    func isEmpty(but key: ObjectKey?) -> Bool {
        guard let latest else { return others.isEmpty || others.count == 1 && others.first == key }
        return latest == key && others.isEmpty
    }

    /// Whether a key has become a member just now. False says nothing.
    func isNew(_ key: ObjectKey) -> Bool { isLatestNew && latest == key }

    /// Adds a key, or takes it out if it is there: its link is again as it was.
    ///
    /// - Parameter isNew: Whether it was no member before.
    mutating func toggle(_ key: ObjectKey, isNew: Bool) {
        if latest == key {
            latest = nil
        } else if !others.isEmpty, others.remove(key) != nil {
            return
        } else if latest == nil {
            (latest, isLatestNew) = (key, isNew)
        } else {
            others.insert(key)
        }
    }

    /// Takes a key out, if it is there.
    mutating func remove(_ key: ObjectKey) {
        if latest == key {
            latest = nil
        } else if !others.isEmpty {
            others.remove(key)
        }
    }
}
