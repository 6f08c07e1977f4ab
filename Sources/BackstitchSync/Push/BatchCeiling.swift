/// How many changes a batch may hold.
package struct BatchCeiling: Sendable, Equatable {
    /// Most changes, where that tears no save.
    package var changes: Int
    /// Whether a save that is larger is cut, because it does not go as a whole. Else it is a batch of its own, up to
    /// the server's limit.
    package var cutsSaves: Bool

    init(_ changes: Int, cutsSaves: Bool) {
        self.changes = changes
        self.cutsSaves = cutsSaves
    }

    /// Half of a batch that did not go. Only a save that did not go alone is cut.
    init(halving batch: PushBatch) {
        self.init(max(batch.items.count / 2, 1), cutsSaves: batch.isOneSave)
    }

    /// The lower of both.
    func lower(_ other: BatchCeiling?) -> BatchCeiling {
        guard let other else { return self }
        return BatchCeiling(min(changes, other.changes), cutsSaves: cutsSaves || other.cutsSaves)
    }
}
