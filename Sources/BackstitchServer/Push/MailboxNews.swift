import BackstitchSupport
import CloudWire

/// Notifications for all devices of a user at once.
final class MailboxNews: Sendable {
    let notifications: [PushNotification]
    /// Their topics. Nil if several have one topic, or if one is of a subscription to a query, since mailboxes keep
    /// only some of those.
    let topics: Set<Mailbox.Topic>?
    /// The notifications behind the first, for a mailbox whose poll gets the first one.
    let rest: MailboxNews?
    private let known: Locked<(other: ObjectIdentifier, isKnown: Bool)?> = Locked(nil)

    convenience init(_ notifications: [PushNotification]) {
        self.init(
            notifications,
            rest: notifications.count > 1 ? MailboxNews(Array(notifications.dropFirst()), rest: nil) : nil)
    }

    private init(_ notifications: [PushNotification], rest: MailboxNews?) {
        self.notifications = notifications
        self.rest = rest
        let topics = Set(notifications.map { Mailbox.Topic($0) })
        let isOfQuery = notifications.contains { if case .record = $0.subject { true } else { false } }
        self.topics = isOfQuery || topics.count < notifications.count ? nil : topics
    }

    /// Whether other, waiting news contains all of this. The mailboxes of a user mostly wait with the same news, so the
    /// result is kept.
    func isKnown(to other: MailboxNews) -> Bool {
        guard let topics, let others = other.topics else { return false }
        return known.withLock { known in
            if let known, known.other == ObjectIdentifier(other) { return known.isKnown }
            let isKnown = topics.isSubset(of: others)
            known = (ObjectIdentifier(other), isKnown)
            return isKnown
        }
    }
}
