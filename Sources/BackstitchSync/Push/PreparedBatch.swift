import Backstitch
import CloudWire

/// The result of reading the outbox.
package struct PreparedBatch: Sendable {
    /// The next batch; nil if there is nothing to send.
    package var batch: PushBatch?
    /// Whether this is the last batch for now.
    package var isLast: Bool
    /// Changes that cannot be sent, and are now blocked.
    package var blocked: [BlockedChange]
    /// Whether it has records that are encrypted again, and a later cycle may have more of them.
    package var isRotating: Bool
    /// The changes that this reading has made here.
    var changes = StoreChanges()
    /// Whether there may be assets to download.
    package var mayMissAssets = false
    /// Changes that wait for uploads, and are not in the batch.
    var heldBack = HeldBack()
    /// Uploads to begin, because changes outside the batch wait for them.
    package var uploads: [HeldUpload] = []

    /// Creates the result of reading the outbox.
    package init(batch: PushBatch?, isLast: Bool, blocked: [BlockedChange] = [], isRotating: Bool = false) {
        self.isRotating = isRotating
        self.batch = batch
        self.isLast = isLast
        self.blocked = blocked
    }
}
