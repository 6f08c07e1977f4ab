import Backstitch
package import CloudWire

/// The server's reply to a batch: an answer for each item, in order.
package struct PushReply: Sendable {
    /// The server's answer to one change.
    package enum Answer: Sendable {
        /// The change is done; a saved record has this change tag.
        case done(changeTag: String?)
        /// The server has another version: this record, or none.
        case conflict(WireRecord?)
        /// The server has deleted the record, because its object has moved to this zone, or to an unnamed one.
        case moved(to: String)
        /// The server refuses the change.
        case refused(reason: String)
        /// The change was not sent, because the upload of one of its assets is paused.
        case held(reason: String)
        /// The present token does not allow this change, even if its user has the right. The change waits for another
        /// token.
        case unauthorized(reason: String)
        /// The user has no right to the change. In another user's zone it is reverted: the object takes the values of
        /// this record, or is deleted without one. In the user's own zone, where only a token can lack a right, it
        /// waits.
        case denied(reason: String, WireRecord?)
        /// The server asks to send it later, after this number of milliseconds.
        case later(Int64?)
        /// The server does not have the record's parent.
        case parentless(reason: String)
        /// The server did not process it, because of other changes in the batch.
        case untouched
    }

    /// The answers, in the order of the batch's items.
    package var answers: [Answer]
    /// One of the accepted records, with the time of its creation on the server.
    var anchor: ZoneAnchor?
    /// Objects whose records were already deleted on the server: by another device, or by this one without an answer.
    var deletedBefore: Set<ObjectKey> = []

    /// Creates a reply from its answers.
    package init(answers: [Answer]) { self.answers = answers }

    /// Creates a reply that refuses every change.
    init(refusing batch: PushBatch, reason: String) {
        answers = batch.items.map { _ in .refused(reason: reason) }
    }
}
