import BackstitchSupport
import CloudWire

/// The notifications that all devices of a user get at once.
final class MailboxNews: Sendable {
    let notifications: [PushNotification]
    /// Their topics; nil where there are several about one, or any of a subscription to a query, of which mailboxes
    /// keep some only.
    let topics: Set<Mailbox.Topic>?
    /// Those behind the first, for a mailbox whose poll gets that one.
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

    /// Whether news that waits says all of this. The mailboxes of a user mostly have the same, which is compared once.
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
