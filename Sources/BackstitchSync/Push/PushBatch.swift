package import Backstitch
import CloudWire
import Foundation

/// Changes that are sent in one request.
package struct PushBatch: Sendable {
    /// The changes, in the order in which they are sent.
    package var items: [PushItem]
    /// Names the batch: equal to that of another batch only when both are the same attempt, so that the server may
    /// answer a repeat with what it answered first; nil where a repeat has other bytes.
    package var idempotencyKey: String?
    /// The change token up to which the zone was here when it was made: another life of the zone does not take the
    /// batch.
    package var token: String?

    /// A batch.
    package init(items: [PushItem], idempotencyKey: String?, token: String? = nil) {
        self.items = items
        self.idempotencyKey = idempotencyKey
        self.token = token
    }

    /// Whether all of it was saved last by the same save.
    var isOneSave: Bool { items.allSatisfy { $0.entry.sequence == items[0].entry.sequence } }

    /// The notes that the journal has of it before it is sent.
    var attempts: [PushAttempt] { items.map(PushAttempt.init) }

    /// The objects whose changes it sends.
    package var keys: [ObjectKey] { items.map(\.entry.objectID.key) }
}
