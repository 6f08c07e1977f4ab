import Foundation

/// The open stores of a coordinator.
struct CoordinatorContent: Sendable {
    private(set) var members: [StoreMember]
    /// The only member's store, or one that stands for all.
    private(set) var front: any PersistentStore
    /// How many writes are under way.
    var writes = 0
    /// Whether a store is being moved, and nobody may write.
    var isMoving = false

    init(_ members: [StoreMember], model: ResolvedModel) throws {
        self.members = members
        front = members.count == 1 ? members[0].store : UnionStore(members, model: model)
    }

    /// How many closures of `perform` may run at the same time: as many as the store for most of them is good for.
    var concurrency: Int { members.map(\.concurrency).max() ?? 1 }

    /// Puts these stores in the place of the others. Writes that are under way still are, and so is a move.
    mutating func replace(_ members: [StoreMember], model: ResolvedModel) throws {
        let next = try CoordinatorContent(members, model: model)
        (self.members, front) = (next.members, next.front)
    }
}
