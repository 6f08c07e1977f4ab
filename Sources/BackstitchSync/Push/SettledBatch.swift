package import Backstitch
import CloudWire

/// The outcome of a batch.
package struct SettledBatch: Sendable {
    /// How many changes the server has taken.
    package var sent = 0
    /// Changes that the server does not take, and are in quarantine now.
    package var blocked: [BlockedChange] = []
    /// Objects whose changes met a conflict, were merged, and are to be sent again.
    package var again: [ObjectKey] = []
    /// Objects whose changes were not looked at because of others in their batch, and are to be sent again.
    package var untouched: [ObjectKey] = []
    /// Objects that were saved again while their batch was under way, and whose newer changes are to be sent yet.
    package var changed: [ObjectKey] = []
    /// Objects whose parents the server does not have: what has become of those the next pull tells.
    package var parentless: [ObjectKey] = []
    /// Objects whose changes are to be sent later.
    package var deferred: [ObjectKey] = []
    /// How many milliseconds later.
    package var retryAfter: Int64?
    /// The changes that the conflicts' records have made here.
    package var news = AppliedChanges()

    /// Nothing.
    package init() {}
}
