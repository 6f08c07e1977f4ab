import Backstitch
import CloudWire

/// The result of a look at the outbox.
package struct PreparedBatch: Sendable {
    /// The next batch; nil when there is nothing to send.
    package var batch: PushBatch?
    /// Whether nothing waits behind it.
    package var isLast: Bool
    /// Changes that cannot be sent, and are in quarantine now.
    package var blocked: [BlockedChange]
    /// Whether it has records that are encrypted anew, and there may be more of them for a later cycle.
    package var isRotating: Bool
    /// The changes that the look has made here.
    var changes = StoreChanges()
    /// Whether there may be assets to download.
    package var mayMissAssets = false
    /// Changes that wait for uploads, and are not in the batch.
    var heldBack = HeldBack()
    /// Uploads that are to be begun, since changes wait for them which are not in the batch.
    package var uploads: [HeldUpload] = []

    /// A result.
    package init(batch: PushBatch?, isLast: Bool, blocked: [BlockedChange] = [], isRotating: Bool = false) {
        self.isRotating = isRotating
        self.batch = batch
        self.isLast = isLast
        self.blocked = blocked
    }
}
