package import Backstitch
import CloudWire

/// The result of a batch.
package struct SettledBatch: Sendable {
    /// The number of changes that the server has taken.
    package var sent = 0
    /// Changes that are now blocked, because the server refused them.
    package var blocked: [BlockedChange] = []
    /// Objects whose changes met a conflict, were merged, and must be sent again.
    package var again: [ObjectKey] = []
    /// Objects whose changes were not processed because of others in their batch, and must be sent again.
    package var untouched: [ObjectKey] = []
    /// Objects that were saved again while their batch was being sent; their newer changes must still be sent.
    package var changed: [ObjectKey] = []
    /// Objects whose parents the server does not have; the next pull shows what happened to the parents.
    package var parentless: [ObjectKey] = []
    /// Objects whose changes are sent later.
    package var deferred: [ObjectKey] = []
    /// The time until the deferred changes are sent, in milliseconds.
    package var retryAfter: Int64?
    /// The changes that the conflicts' records have made here.
    package var news = AppliedChanges()

    /// Creates a result without changes.
    package init() {}
}
