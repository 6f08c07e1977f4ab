import Backstitch
package import CloudWire

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
