package import Backstitch
import CloudWire
import Foundation

/// Changes that are sent in one request.
package struct PushBatch: Sendable {
    /// The changes, in the order of sending.
    package var items: [PushItem]
    /// Identifies the batch. Two batches have the same key only if they are the same attempt, so the server may repeat
    /// its first answer. Nil if a repeat has other bytes.
    package var idempotencyKey: String?
    /// The change token of the zone when the batch was built: another incarnation of the zone refuses the batch.
    package var token: String?

    /// Creates a batch of changes.
    package init(items: [PushItem], idempotencyKey: String?, token: String? = nil) {
        self.items = items
        self.idempotencyKey = idempotencyKey
        self.token = token
    }

    /// Whether the same save changed all of its entries last.
    var isOneSave: Bool { items.allSatisfy { $0.entry.sequence == items[0].entry.sequence } }

    /// The journal's notes of it before it is sent.
    var attempts: [PushAttempt] { items.map { PushAttempt($0) } }

    /// The objects whose changes it sends.
    package var keys: [ObjectKey] { items.map(\.entry.objectID.key) }
}
