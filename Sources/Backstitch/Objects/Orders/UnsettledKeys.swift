/// Keys with changed links whose places are not settled yet. Mostly there is one, and it is kept without a set.
struct UnsettledKeys {
    /// One of the keys; nil if there is none, or all are in `others`.
    private var latest: ObjectKey?
    /// Whether ``latest`` has just become a member, so that no order has it.
    private var isLatestNew = false
    private var others: Set<ObjectKey> = []

    /// Whether the set has no key.
    var isEmpty: Bool { latest == nil && others.isEmpty }

    /// Whether the set has no key but this one.
    func isEmpty(but key: ObjectKey?) -> Bool {
        guard let latest else { return others.isEmpty || others.count == 1 && others.first == key }
        return latest == key && others.isEmpty
    }

    /// Whether a key has just become a member. False means that this is not known.
    func isNew(_ key: ObjectKey) -> Bool { isLatestNew && latest == key }

    /// Adds a key. If the set has the key, it is removed, because its link is as before again.
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

    /// Removes a key, if the set has it.
    mutating func remove(_ key: ObjectKey) {
        if latest == key {
            latest = nil
        } else if !others.isEmpty {
            others.remove(key)
        }
    }
}
