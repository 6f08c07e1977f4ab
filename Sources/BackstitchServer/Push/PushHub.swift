import Backstitch
import BackstitchSupport
import CloudWire

/// Carries notifications from commits to waiting long polls.
///
/// Each push token has a mailbox with at most one notification a subscription: notifications are hints, so a second
/// one says nothing new; of a subscription to a query at most ``QuerySubscriptionLimits/named``, one a record, or one
/// that stands for all. A poll takes the oldest; while none is there it waits, without a connection to the storage.
/// Mailboxes live in memory. A token that is new to this process gets a hint for each of its subscriptions first,
/// since nobody knows what it has missed.
final class PushHub: Sendable {
    fileprivate struct Waiter {
        var id: UInt64
        var continuation: CheckedContinuation<PushNotification?, Never>
    }

    fileprivate struct Mailbox {
        /// The topic of a notification: a second one about the same says nothing new.
        struct Topic: Hashable {
            var subscriptionID: String?
            var databaseScope: Int
            var subject: PushNotification.Subject
        }

        private(set) var queue: [PushNotification] = []
        private var pending: Set<Topic> = []
        var waiter: Waiter?
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

    private struct State {
        var mailboxes: [PushTokenKey: Mailbox] = [:]
        /// Polls that have begun and are neither answered nor given up.
        var active: Set<UInt64> = []
        var nextID: UInt64 = 0
        var isDrained = false
    }

    private let clock: any WallClock
    private let state = Locked(State())

    init(clock: any WallClock) {
        self.clock = clock
    }

    /// True when the token has a mailbox.
    func knows(_ token: PushTokenKey) -> Bool {
        state.withLock { $0.mailboxes[token] != nil }
    }

    /// How many polls wait.
    var waiting: Int {
        state.withLock { state in state.mailboxes.values.count { $0.waiter != nil } }
    }

    /// Makes a mailbox with these notifications, unless there is one.
    func open(_ token: PushTokenKey, with hints: [PushNotification]) {
        let now = clock.milliseconds()
        state.withLock { state in
            if state.mailboxes[token] == nil {
                var mailbox = Mailbox(lastUsed: now)
                for hint in hints { mailbox.add(hint) }
                state.mailboxes[token] = mailbox
            }
        }
    }

    /// Gives the first notification to the poll that waits, and puts the others into the mailbox.
    func post(_ notifications: [PushNotification], to token: PushTokenKey) {
        let handed: (Waiter, PushNotification)? = state.withLock { state in
            guard var mailbox = state.mailboxes.removeValue(forKey: token) else { return nil }
            defer { state.mailboxes[token] = mailbox }
            guard let waiter = mailbox.waiter, let first = notifications.first else {
                for notification in notifications { mailbox.add(notification) }
                return nil
            }
            mailbox.waiter = nil
            for notification in notifications.dropFirst() { mailbox.add(notification) }
            return (waiter, first)
        }
        if let (waiter, notification) = handed { waiter.continuation.resume(returning: notification) }
    }

    /// Forgets tokens that the storage has forgotten; their polls end.
    func close(_ tokens: [PushTokenKey]) {
        if tokens.isEmpty { return }
        let waiters = state.withLock { state in tokens.compactMap { state.mailboxes.removeValue(forKey: $0)?.waiter } }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    /// The next notification of a token, or nil after some time, when a later poll of the same token takes over, or
    /// when the server stops.
    func next(for token: PushTokenKey, milliseconds: Int64) async -> PushNotification? {
        // The time may be over before anybody has begun to wait.
        if let first = takeFirst(for: token) { return first }
        let id = state.withLock { state in
            state.nextID += 1
            state.active.insert(state.nextID)
            return state.nextID
        }
        return await withTaskGroup(of: PushNotification?.self) { group in
            group.addTask { await self.wait(for: token, id) }
            group.addTask { [clock] in
                do {
                    try await clock.sleep(milliseconds: milliseconds)
                } catch {
                    // The poll was answered or given up; either way the wait is over.
                }
                self.giveUp(token, id)
                return nil
            }
            var result: PushNotification?
            for await notification in group {
                result = result ?? notification
                group.cancelAll()
            }
            return result
        }
    }

    /// Answers all polls, now and from now on.
    func drain() {
        let waiters = state.withLock { state in
            state.isDrained = true
            let waiters = state.mailboxes.values.compactMap(\.waiter)
            for token in state.mailboxes.keys { state.mailboxes[token]?.waiter = nil }
            return waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    /// Tokens that were used since they were last given here, at most once in `interval` milliseconds each.
    func takeUsed(interval: Int64) -> [PushTokenKey] {
        let now = clock.milliseconds()
        return state.withLock { state in
            let due = state.mailboxes.filter { $0.value.lastTouched + interval <= now }.map(\.key)
            for token in due { state.mailboxes[token]?.lastTouched = now }
            return due
        }
    }

    /// Removes mailboxes that nobody has asked for since a time.
    func forget(unusedSince time: Int64) {
        state.withLock { state in
            state.mailboxes = state.mailboxes.filter { $0.value.waiter != nil || $0.value.lastUsed >= time }
        }
    }

    private func wait(for token: PushTokenKey, _ id: UInt64) async -> PushNotification? {
        await withCheckedContinuation { continuation in
            let now = clock.milliseconds()
            let superseded: Waiter? = state.withLock { state in
                guard state.active.contains(id), !state.isDrained else {
                    return Waiter(id: id, continuation: continuation)
                }
                var mailbox = state.mailboxes[token] ?? Mailbox(lastUsed: now)
                mailbox.lastUsed = now
                defer { state.mailboxes[token] = mailbox }
                if let first = mailbox.takeFirst() {
                    continuation.resume(returning: first)
                    return nil
                }
                let older = mailbox.waiter
                mailbox.waiter = Waiter(id: id, continuation: continuation)
                return older
            }
            superseded?.continuation.resume(returning: nil)
        }
    }

    private func takeFirst(for token: PushTokenKey) -> PushNotification? {
        let now = clock.milliseconds()
        return state.withLock { state in
            guard !state.isDrained, var mailbox = state.mailboxes[token], let first = mailbox.takeFirst() else {
                return nil
            }
            mailbox.lastUsed = now
            state.mailboxes[token] = mailbox
            return first
        }
    }

    private func giveUp(_ token: PushTokenKey, _ id: UInt64) {
        let waiter: Waiter? = state.withLock { state in
            state.active.remove(id)
            guard let waiter = state.mailboxes[token]?.waiter, waiter.id == id else { return nil }
            state.mailboxes[token]?.waiter = nil
            return waiter
        }
        waiter?.continuation.resume(returning: nil)
    }
}

extension PushHub.Mailbox.Topic {
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
