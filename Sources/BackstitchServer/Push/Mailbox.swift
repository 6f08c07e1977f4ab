import BackstitchSupport
import CloudWire

/// The notifications that wait for the next poll of a push token: at most one a subscription, and of a subscription to
/// a query one a record, or one that stands for all.
///
/// Mailboxes of one user that got the same news share its storage until one of them is read.
struct Mailbox {
    /// The topic of a notification: a second one about the same says nothing new.
    struct Topic: Hashable {
        var subscriptionID: String?
        var databaseScope: Int
        var subject: PushNotification.Subject
    }

    /// Those before ``start`` were taken.
    private var queue: [PushNotification] = []
    private var start = 0
    private var pending: Set<Topic> = []
    /// The last news that was put in whole, while nothing of it was taken.
    private var whole: MailboxNews?
    /// The poll that waits while there are none.
    var waiter: PushHub.Waiter?
    /// The uptime at which a poll last asked.
    var lastUsed: Int64
    /// The uptime at which the storage was told that the token is in use.
    var lastTouched: Int64?

    init(lastUsed: Int64) { self.lastUsed = lastUsed }

    /// How many wait.
    var count: Int { queue.count - start }

    /// Adds the news of a user. Complexity: O(1) where the mailbox is empty, or has the same already; else O(*n*).
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
        // Subscriptions that were made and ended meanwhile; whoever reads one of the others will look anyway.
        if count > Self.capacity { _ = takeFirst() }
    }

    /// The notification, or one that says no more than that something has happened, where one waits that says so,
    /// or too many wait that say more; that one takes their place.
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
