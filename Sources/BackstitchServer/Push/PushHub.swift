import Backstitch
import BackstitchSupport
import CloudWire

/// Carries notifications from commits to waiting long polls.
///
/// Each push token has a mailbox with at most one notification for a subscription. Notifications are hints, so a second
/// one says nothing new. A subscription to a query has up to ``QuerySubscriptionLimits/named``, one for each record, or
/// a single one for all. A poll takes the oldest notification. If there is none, it waits without a connection to the
/// storage. Mailboxes live in memory. A token new to this process first gets a hint for each of its subscriptions,
/// since its missed notifications are unknown.
final class PushHub: Sendable {
    /// A long poll that has begun.
    struct Poll: Hashable, Sendable {
        fileprivate let id: UInt64
        fileprivate let token: PushTokenKey
    }

    struct Waiter {
        fileprivate let poll: Poll
        fileprivate let continuation: CheckedContinuation<PushNotification?, Never>
    }

    private struct State {
        var mailboxes: [PushTokenKey: Mailbox] = [:]
        /// Polls neither answered nor given up yet, with the uptime of their end.
        var deadlines: [Poll: Int64] = [:]
        var nextID: UInt64 = 0
        var isDrained = false
    }

    private let clock: any WallClock
    private let state = Locked(State())
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(clock: any WallClock) {
        self.clock = clock
    }

    /// Whether the token has a mailbox.
    func knows(_ token: PushTokenKey) -> Bool {
        state.withLock { $0.mailboxes[token] != nil }
    }

    /// The number of waiting polls.
    var waiting: Int {
        state.withLock { state in state.mailboxes.values.count { $0.waiter != nil } }
    }

    /// Makes a mailbox with these notifications, unless the token has one.
    func open(_ token: PushTokenKey, with hints: [PushNotification]) {
        let now = clock.uptime()
        state.withLock { state in
            if state.mailboxes[token] == nil {
                var mailbox = Mailbox(lastUsed: now)
                for hint in hints { mailbox.add(hint) }
                state.mailboxes[token] = mailbox
            }
        }
    }

    /// Gives the first notification to the waiting poll, and puts the others into the mailbox.
    func post(_ notifications: [PushNotification], to token: PushTokenKey) {
        post(MailboxNews(notifications), to: [token])
    }

    /// The same for all devices of a user. Complexity: O(*t*) for *t* tokens, if their mailboxes are empty or have the
    /// same news.
    func post(_ news: MailboxNews, to tokens: [PushTokenKey]) {
        guard let first = news.notifications.first else { return }
        let handed: [Waiter] = state.withLock { state in
            tokens.compactMap { token in
                guard var mailbox = state.mailboxes.removeValue(forKey: token) else { return nil }
                defer { state.mailboxes[token] = mailbox }
                guard let waiter = mailbox.waiter else {
                    mailbox.add(news)
                    return nil
                }
                mailbox.waiter = nil
                if let rest = news.rest { mailbox.add(rest) }
                return waiter
            }
        }
        for waiter in handed { waiter.continuation.resume(returning: first) }
    }

    /// Forgets tokens removed from the storage. Their polls end.
    func close(_ tokens: [PushTokenKey]) {
        if tokens.isEmpty { return }
        let waiters = state.withLock { state in tokens.compactMap { state.mailboxes.removeValue(forKey: $0)?.waiter } }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    /// Begins a long poll. Its notification is taken by ``next(_:)``.
    ///
    /// - Parameter milliseconds: The time after which it ends without a notification.
    func begin(for token: PushTokenKey, milliseconds: Int64) -> Poll {
        let deadline = clock.uptime() + milliseconds
        return state.withLock { state in
            state.nextID += 1
            let poll = Poll(id: state.nextID, token: token)
            state.deadlines[poll] = deadline
            return poll
        }
    }

    /// The next notification for a poll's token. Nil if the poll's time is over, a later poll of the token takes over,
    /// it was given up, the task was cancelled, or the server stops.
    func next(_ poll: Poll) async -> PushNotification? {
        let notification = await withTaskCancellationHandler {
            await wait(poll)
        } onCancel: {
            giveUp(poll)
        }
        state.withLock { $0.deadlines[poll] = nil }
        return notification
    }

    /// Ends a poll without a notification. The next poll of its token gets the notification.
    func giveUp(_ poll: Poll) {
        let waiter: Waiter? = state.withLock { state in
            state.deadlines[poll] = nil
            guard let waiter = state.mailboxes[poll.token]?.waiter, waiter.poll == poll else { return nil }
            state.mailboxes[poll.token]?.waiter = nil
            return waiter
        }
        waiter?.continuation.resume(returning: nil)
    }

    /// Ends polls when their time is over, until the task is cancelled. They end up to a quarter of a second late. One
    /// task looks at all of them. A timer for each would take more memory than all the rest of a poll.
    func keepTime() async {
        for await _ in arrivals {
            repeat {
                do { try await clock.sleep(milliseconds: 250) } catch { return }
            } while endOverdue()
        }
    }

    /// Ends all polls without a notification, now and from now on.
    func drain() {
        let waiters = state.withLock { state in
            state.isDrained = true
            let waiters = state.mailboxes.values.compactMap(\.waiter)
            for token in state.mailboxes.keys { state.mailboxes[token]?.waiter = nil }
            return waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    /// Tokens in use, since they have a mailbox. Each is returned at most once in `interval` milliseconds.
    func takeUsed(interval: Int64) -> [PushTokenKey] {
        let now = clock.uptime()
        return state.withLock { state in
            let due = state.mailboxes.filter { $0.value.lastTouched.map { $0 + interval <= now } ?? true }.map(\.key)
            for token in due { state.mailboxes[token]?.lastTouched = now }
            return due
        }
    }

    /// Removes mailboxes without a poll in the last `interval` milliseconds.
    func forget(unusedFor interval: Int64) {
        let time = clock.uptime() - interval
        state.withLock { state in
            state.mailboxes = state.mailboxes.filter { $0.value.waiter != nil || $0.value.lastUsed >= time }
        }
    }

    private func wait(_ poll: Poll) async -> PushNotification? {
        let now = clock.uptime()
        return await withCheckedContinuation { continuation in
            let ended: (CheckedContinuation<PushNotification?, Never>, PushNotification?)? = state.withLock { state in
                guard let deadline = state.deadlines[poll], !state.isDrained else { return (continuation, nil) }
                var mailbox = state.mailboxes[poll.token] ?? Mailbox(lastUsed: now)
                mailbox.lastUsed = now
                defer { state.mailboxes[poll.token] = mailbox }
                if let first = mailbox.takeFirst() { return (continuation, first) }
                if deadline <= now { return (continuation, nil) }
                let older = mailbox.waiter?.continuation
                mailbox.waiter = Waiter(poll: poll, continuation: continuation)
                return older.map { ($0, nil) }
            }
            ended?.0.resume(returning: ended?.1)
            arrival.yield()
        }
    }

    /// Ends the waiting polls when their time is over. If a poll has not begun to wait, it takes a notification first.
    ///
    /// - Returns: Whether polls are left.
    func endOverdue() -> Bool {
        let now = clock.uptime()
        let (overdue, isAnyLeft) = state.withLock { state in
            let overdue = state.deadlines.filter { poll, deadline in
                deadline <= now && state.mailboxes[poll.token]?.waiter?.poll == poll
            }.map(\.key)
            return (overdue, overdue.count < state.deadlines.count)
        }
        for poll in overdue { giveUp(poll) }
        return isAnyLeft
    }
}
