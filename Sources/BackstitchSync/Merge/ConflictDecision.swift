import Backstitch

/// The decision about a conflict.
package enum ConflictDecision: Sendable, Equatable {
    /// This side's change stays, except for the properties with a value or winner of their own.
    case winner(SyncConflict.Side, choices: [String: ConflictChoice] = [:])
    /// No decision is possible: the change here is blocked.
    case refused(reason: String)
    /// No decision has been made yet: both sides stay as they are until later.
    case deferred
}
