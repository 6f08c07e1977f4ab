import CloudWire

/// The notifications that wait for the next poll of a push token: at most one a subscription, and of a subscription to
/// a query one a record, or one that stands for all.
struct Mailbox {
    /// The topic of a notification: a second one about the same says nothing new.
    struct Topic: Hashable {
        var subscriptionID: String?
        var databaseScope: Int
        var subject: PushNotification.Subject
    }

    private(set) var queue: [PushNotification] = []
    private var pending: Set<Topic> = []
    /// The poll that waits while there are none.
    var waiter: PushHub.Waiter?
    var lastUsed: Int64
    /// When the storage was told that the token is in use.
    var lastTouched: Int64 = 0

    init(lastUsed: Int64) { self.lastUsed = lastUsed }

    mutating func add(_ notification: PushNotification) {
        var notification = notification
        if case .record = notification.subject { notification = gathered(notification) }
        guard pending.insert(Topic(notification)).inserted else { return }
        queue.append(notification)
        // Subscriptions that were made and ended meanwhile; whoever reads one of the others will look anyway.
        if queue.count > Self.capacity { _ = takeFirst() }
    }

    /// The notification, or one that says no more than that something has happened, where one waits that says so,
    /// or too many wait that say more; that one takes their place.
    private mutating func gathered(_ notification: PushNotification) -> PushNotification {
        var unnamed = notification
        unnamed.subject = .record(name: nil, change: nil, zone: nil)
        if pending.contains(Topic(unnamed)) { return unnamed }
        let waiting = queue.filter { $0.isOfSameQuery(as: notification) }
        guard notification.subject == unnamed.subject || waiting.count >= QuerySubscriptionLimits.named else {
            return notification
        }
        queue.removeAll { $0.isOfSameQuery(as: notification) }
        pending.subtract(waiting.map { Topic($0) })
        return unnamed
    }

    mutating func takeFirst() -> PushNotification? {
        guard let first = queue.first else { return nil }
        queue.removeFirst()
        pending.remove(Topic(first))
        return first
    }

    private static let capacity = 1_000
}

extension Mailbox.Topic {
    fileprivate init(_ notification: PushNotification) {
        self.init(
            subscriptionID: notification.subscriptionID, databaseScope: notification.databaseScope,
            subject: notification.subject)
    }
}

extension PushNotification {
    fileprivate func isOfSameQuery(as other: PushNotification) -> Bool {
        guard case .record = subject else { return false }
        return subscriptionID == other.subscriptionID && databaseScope == other.databaseScope
    }
}
