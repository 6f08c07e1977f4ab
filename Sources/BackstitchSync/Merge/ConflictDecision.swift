import Backstitch

/// The decision about a conflict.
package enum ConflictDecision: Sendable, Equatable {
    /// This side's change stays, but for the properties that get a value or winner of their own.
    case winner(SyncConflict.Side, choices: [String: ConflictChoice] = [:])
    /// Nothing can be decided: the change here goes into quarantine.
    case refused(reason: String)
    /// Nothing is decided yet: both sides stay as they are until later.
    case deferred
}
