import Foundation

/// The open stores of a coordinator.
struct CoordinatorContent: Sendable {
    private(set) var members: [StoreMember]
    /// The only member's store, or a union of all stores.
    private(set) var front: any PersistentStore
    /// The number of writes under way.
    var writes = 0
    /// Whether a store is being moved, so that no write may begin.
    var isMoving = false

    init(_ members: [StoreMember], model: ResolvedModel) throws {
        self.members = members
        front = members.count == 1 ? members[0].store : UnionStore(members, model: model)
    }

    /// The number of `perform` closures that may run at the same time: the largest number that any store serves.
    var concurrency: Int { members.map(\.concurrency).max() ?? 1 }

    /// Replaces the members with these stores. Writes under way and a move in progress stay counted.
    mutating func replace(_ members: [StoreMember], model: ResolvedModel) throws {
        let next = try CoordinatorContent(members, model: model)
        (self.members, front) = (next.members, next.front)
    }
}
