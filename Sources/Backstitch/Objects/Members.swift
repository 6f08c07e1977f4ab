/// The members of a loaded to-many relationship.
struct Members {
    var keys: Set<ObjectKey>
    /// The order of the members, once it was asked for; see ``ManagedObject/order(of:)``.
    var order: MemberOrder?

    init(_ keys: Set<ObjectKey>) { self.keys = keys }

    /// Notes that a link was made. Its object gets a place next.
    mutating func insert(_ key: ObjectKey) {
        let isNew = keys.insert(key).inserted
        order?.noteLink(key, isNew: isNew)
    }

    /// Notes that a link was removed.
    mutating func remove(_ key: ObjectKey) {
        keys.remove(key)
        order?.noteUnlink(key)
    }
}
