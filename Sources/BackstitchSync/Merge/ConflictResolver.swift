package import Backstitch

/// Decides conflicts between this store and the server.
package protocol ConflictResolver: Sendable {
    /// Decides one conflict; `conflict` is only created if it is read.
    func decide(of entity: ResolvedEntity, _ conflict: () -> ConflictToResolve) -> ConflictDecision

    /// Whether some decisions are still missing, so that the other results must be discarded.
    var hasOpenConflicts: Bool { get }

    /// Whether it uses the dates of both sides' changes.
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
