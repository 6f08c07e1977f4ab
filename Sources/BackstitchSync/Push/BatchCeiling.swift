/// The most changes that a batch may hold.
package struct BatchCeiling: Sendable, Equatable {
    /// The limit of changes, if it cuts no save.
    package var changes: Int
    /// Whether a larger save is cut, because the server refuses it as a whole. Otherwise it is a batch alone, up to the
    /// server's limit.
    package var cutsSaves: Bool

    init(_ changes: Int, cutsSaves: Bool) {
        self.changes = changes
        self.cutsSaves = cutsSaves
    }

    /// Halves a refused batch. A save is only cut if it was refused alone.
    init(halving batch: PushBatch) {
        self.init(max(batch.items.count / 2, 1), cutsSaves: batch.isOneSave)
    }

    /// Returns the lower limit of both.
    func lower(_ other: BatchCeiling?) -> BatchCeiling {
        guard let other else { return self }
        return BatchCeiling(min(changes, other.changes), cutsSaves: cutsSaves || other.cutsSaves)
    }
}
