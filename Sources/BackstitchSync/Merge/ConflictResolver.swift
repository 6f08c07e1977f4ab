package import Backstitch

/// Decides conflicts.
package protocol ConflictResolver: Sendable {
    /// Decides one; `conflict` is only made where somebody looks at it.
    func decide(of entity: ResolvedEntity, _ conflict: () -> ConflictToResolve) -> ConflictDecision

    /// Whether some decisions could not be made, so that what was done with the others must not be kept.
    var hasOpenConflicts: Bool { get }

    /// Whether it looks at when the sides made their changes.
    var looksAtDates: Bool { get }
}

extension ConflictResolver {
    package var hasOpenConflicts: Bool { false }
    package var looksAtDates: Bool { false }
}

extension ConflictResolutionPolicy: ConflictResolver {
    /// The side whose changes stay.
    var side: SyncConflict.Side { self == .serverWins ? .server : .client }

    package func decide(of entity: ResolvedEntity, _ conflict: () -> ConflictToResolve) -> ConflictDecision {
        .winner(side)
    }
}
