/// The members of a to-many relationship that is loaded.
struct Members {
    var keys: Set<ObjectKey>
    /// Their order, once it was asked for; see ``ManagedObject/order(of:)``.
    var order: MemberOrder?

    init(_ keys: Set<ObjectKey>) { self.keys = keys }

    /// A link was made; its object gets a place next.
    mutating func insert(_ key: ObjectKey) {
        let isNew = keys.insert(key).inserted
        order?.noteLink(key, isNew: isNew)
    }

    /// A link was taken away.
    mutating func remove(_ key: ObjectKey) {
        keys.remove(key)
        order?.noteUnlink(key)
    }
}
