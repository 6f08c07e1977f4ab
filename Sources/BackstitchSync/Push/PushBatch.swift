package import Backstitch
package import CloudWire
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

/// One object's change, as it is sent.
package struct PushItem: Sendable {
    /// The outbox entry as it was read.
    package var entry: OutboxEntry
    /// The operation that is asked of the server. Assets in it have no receipts yet.
    package var operation: RecordOperation
    /// The contents of the entry's pushed fields.
    package var pushed: [String: OutboxEntry.Base]
    /// Whether an insert may have reached the server before this push.
    package var mayHaveArrived: Bool
    /// The transaction up to which edits are in an insert that may have arrived, see ``UnansweredInserts``.
    package var arrivedSequence: Int64
    /// The traces of earlier pushes of the object whose answers are not known.
    package var earlierTraces: [PushTrace]
    /// The assets whose bytes go before the record, by attribute.
    package var assets: [String: AssetReference]
    /// Assets that are left out, and that the server does not have.
    var lostAssets: [LostAsset] = []
    /// Assets that are left out although nobody knows what the server has in their fields, by field.
    var unread: [String: WireAsset?] = [:]
    /// The keys of encrypted assets' bytes, by attribute.
    var assetKeys: [String: AssetContentKey] = [:]
    /// Bytes of its fields as they were encoded, before assets have their receipts.
    var encodedSize = 0
    /// The values that travel as assets for want of room, by attribute; their names are among the assets.
    var large: [String: Data] = [:]
    /// The fields of such values that it sets, or takes away.
    var largeFields: [String: WireAsset?] = [:]
    /// The keys under which the record's encrypted fields are when it has arrived; nil where it has none.
    var sealing: RecordSealing?
    /// The object on which it hangs, where the server takes no record without the one that it names as its parent.
    package var parent: ObjectKey?
    /// The change tag of that one's record as it was here; nil where the server did not have it.
    package var parentTag: String?
    /// The mark that it sets, a zone of the server, or takes away; nil for neither.
    var mark: String??
    /// Whether it deletes a record that the server has had.
    var isDeletionOfKnown: Bool {
        let tag = operation.record.recordChangeTag
        return operation.operationType == .delete && tag != nil && tag != RecordState.tagOfNoRecord
    }
    /// Whether it makes the record.
    var makesRecord: Bool { operation.operationType == .create }

    /// The content that the server has of a property once it has taken the change, as far as that is known.
    func contentThen(of property: String) -> OutboxEntry.Base? {
        if let content = pushed[property] { return content }
        return lostAssets.first { $0.column.name == property }.map { OutboxEntry.Base.value($0.replacement) }
    }

    /// A change.
    package init(
        entry: OutboxEntry, operation: RecordOperation, pushed: [String: OutboxEntry.Base] = [:],
        mayHaveArrived: Bool = false, arrivedSequence: Int64 = 0, earlierTraces: [PushTrace] = [],
        assets: [String: AssetReference] = [:]
    ) {
        self.entry = entry
        self.operation = operation
        self.pushed = pushed
        self.mayHaveArrived = mayHaveArrived
        self.arrivedSequence = arrivedSequence
        self.earlierTraces = earlierTraces
        self.assets = assets
    }
}

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

/// The server's reply to a batch: an answer for each item, in order.
package struct PushReply: Sendable {
    /// The server's answer to one change.
    package enum Answer: Sendable {
        /// It is done; a saved record has the change tag.
        case done(changeTag: String?)
        /// The server has another version: this record, or none.
        case conflict(WireRecord?)
        /// The server does not take it.
        case refused(reason: String)
        /// It was not sent, since the upload of one of its assets is paused.
        case held(reason: String)
        /// The token in use is for no such change, whatever rights its user has. It waits for another token.
        case unauthorized(reason: String)
        /// The user has no right to it. In a zone of somebody else it is taken back, and the object becomes the record
        /// that is there, or goes where there is none; in one's own, where only a token can lack a right, it waits.
        case denied(reason: String, WireRecord?)
        /// The server asks to send it later, after so many milliseconds.
        case later(Int64?)
        /// The server does not have the record that it names as its parent.
        case parentless(reason: String)
        /// Nothing was done with it, because of others.
        case untouched
    }

    /// The answers, in the order of the batch's items.
    package var answers: [Answer]
    /// One of the records that the server has taken, and when it was made there.
    var anchor: ZoneAnchor?
    /// Objects whose records were to be deleted, and were not there any more: somebody else had deleted them,
    /// or this device had, and got no answer.
    var deletedBefore: Set<ObjectKey> = []

    /// A reply.
    package init(answers: [Answer]) { self.answers = answers }

    /// A reply that refuses everything.
    init(refusing batch: PushBatch, reason: String) {
        answers = batch.items.map { _ in .refused(reason: reason) }
    }
}

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
