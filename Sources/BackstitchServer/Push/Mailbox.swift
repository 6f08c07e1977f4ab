import BackstitchSupport
import CloudWire

/// The notifications waiting for the next poll of a push token. There is at most one for a subscription. A subscription
/// to a query has one for each record, or a single one for all.
///
/// Mailboxes of one user with the same news share its storage until one of them is read.
struct Mailbox {
    /// The topic of a notification. A second notification about it says nothing new.
    struct Topic: Hashable {
        var subscriptionID: String?
        var databaseScope: Int
        var subject: PushNotification.Subject
    }

    /// The notifications before ``start`` were taken.
    private var queue: [PushNotification] = []
    private var start = 0
    private var pending: Set<Topic> = []
    /// The last news added as a whole, as long as nothing of it was taken.
    private var whole: MailboxNews?
    /// The poll waiting for the first notification.
    var waiter: PushHub.Waiter?
    /// The uptime of the last poll.
    var lastUsed: Int64
    /// The uptime of the last note in the storage about the token's use.
    var lastTouched: Int64?

    init(lastUsed: Int64) { self.lastUsed = lastUsed }

    /// The number of waiting notifications.
    var count: Int { queue.count - start }

    /// Adds the news of a user. Complexity: O(1) if the mailbox is empty or has the same news already; otherwise
    /// O(*n*).
    mutating func add(_ news: MailboxNews) {
        if let whole, whole === news || news.isKnown(to: whole) { return }
        if count == 0, let topics = news.topics, topics.count <= Self.capacity {
            (queue, start, pending, whole) = (news.notifications, 0, topics, news)
            return
        }
        for notification in news.notifications { add(notification) }
        whole = news.topics.map { $0.isSubset(of: pending) } == true ? news : nil
    }

    mutating func add(_ notification: PushNotification) {
        var notification = notification
        if case .record = notification.subject { notification = gathered(notification) }
        guard pending.insert(Topic(notification)).inserted else { return }
        queue.append(notification)
        // The excess is from subscriptions made and ended meanwhile. A reader of any other notification looks for
        // changes anyway.
        if count > Self.capacity { _ = takeFirst() }
    }

    /// The given notification, or one without a record's name. The latter is returned if one like it waits already, or
    /// if too many with names wait. It takes the place of those.
    private mutating func gathered(_ notification: PushNotification) -> PushNotification {
        var unnamed = notification
        unnamed.subject = .record(name: nil, change: nil, zone: nil)
        if pending.contains(Topic(unnamed)) { return unnamed }
        let waiting = queue[start...].filter { $0.isOfSameQuery(as: notification) }
        guard notification.subject == unnamed.subject || waiting.count >= QuerySubscriptionLimits.named else {
            return notification
        }
        queue = queue[start...].filter { !$0.isOfSameQuery(as: notification) }
        start = 0
        pending.subtract(waiting.map { Topic($0) })
        return unnamed
    }

    mutating func takeFirst() -> PushNotification? {
        guard start < queue.count else { return nil }
        let first = queue[start]
        start += 1
        pending.remove(Topic(first))
        whole = nil
        if start == queue.count || start >= Self.capacity { (queue, start) = (Array(queue[start...]), 0) }
        return first
    }

    fileprivate static let capacity = 1_000
}

extension Mailbox.Topic {
    init(_ notification: PushNotification) {
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
