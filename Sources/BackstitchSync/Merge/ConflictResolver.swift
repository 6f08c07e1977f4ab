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

/// The decision about a conflict.
package enum ConflictDecision: Sendable, Equatable {
    /// This side's change stays, but for the properties that get a value or winner of their own.
    case winner(SyncConflict.Side, choices: [String: ConflictChoice] = [:])
    /// Nothing can be decided: the change here goes into quarantine.
    case refused(reason: String)
    /// Nothing is decided yet: both sides stay as they are until later.
    case deferred
}

/// The decision about one property.
package enum ConflictChoice: Sendable, Equatable {
    /// A side's value.
    case side(SyncConflict.Side)
    /// The server's value, and this side's in a copy of the object.
    case both
    /// A value of its own.
    case value(Value)
}

extension ConflictResolutionPolicy: ConflictResolver {
    /// The side whose changes stay.
    var side: SyncConflict.Side { self == .serverWins ? .server : .client }

    package func decide(of entity: ResolvedEntity, _ conflict: () -> ConflictToResolve) -> ConflictDecision {
        .winner(side)
    }
}
