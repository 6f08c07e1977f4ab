import CloudWire
import Synchronization

/// Carries notifications from commits to waiting long polls.
///
/// Each push token has a mailbox with at most one notification a subscription: notifications are hints, so a second
/// one says nothing new. A poll takes the oldest; while none is there it waits, without a connection to the storage.
/// Mailboxes live in memory. A token that is new to this process gets a hint for each of its subscriptions first,
/// since nobody knows what it has missed.
final class PushHub: Sendable {
    private struct Waiter {
        var id: UInt64
        var continuation: CheckedContinuation<PushNotification?, Never>
    }

    private struct Mailbox {
        var queue: [PushNotification]
        var waiter: Waiter?
        var lastUsed: Int64
        /// When the storage was told that the token is in use.
        var lastTouched: Int64
    }

    private struct State {
        var mailboxes: [PushTokenKey: Mailbox] = [:]
        /// Polls that have begun and are neither answered nor given up.
        var active: Set<UInt64> = []
        var nextID: UInt64 = 0
        var isDrained = false
    }

    private let clock: any ServerClock
    private let state = Mutex(State())

    init(clock: any ServerClock) {
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
        let now = clock.now()
        state.withLock { state in
            if state.mailboxes[token] == nil {
                state.mailboxes[token] = Mailbox(queue: hints, lastUsed: now, lastTouched: 0)
            }
        }
    }

    /// Gives a notification to the poll that waits, or puts it into the mailbox.
    func post(_ notification: PushNotification, to token: PushTokenKey) {
        let waiter: Waiter? = state.withLock { state in
            guard var mailbox = state.mailboxes.removeValue(forKey: token) else { return nil }
            defer { state.mailboxes[token] = mailbox }
            if let waiter = mailbox.waiter {
                mailbox.waiter = nil
                return waiter
            }
            let isPending = mailbox.queue.contains {
                $0.subscriptionID == notification.subscriptionID && $0.subject == notification.subject
            }
            if !isPending { mailbox.queue.append(notification) }
            return nil
        }
        waiter?.continuation.resume(returning: notification)
    }

    /// The next notification of a token, or nil after some time, when a later poll of the same token takes over, or
    /// when the server stops.
    func next(for token: PushTokenKey, milliseconds: Int64) async -> PushNotification? {
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
        let now = clock.now()
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
            let now = clock.now()
            let superseded: Waiter? = state.withLock { state in
                guard state.active.contains(id), !state.isDrained else {
                    return Waiter(id: id, continuation: continuation)
                }
                var mailbox = state.mailboxes[token] ?? Mailbox(queue: [], lastUsed: now, lastTouched: 0)
                mailbox.lastUsed = now
                defer { state.mailboxes[token] = mailbox }
                guard mailbox.queue.isEmpty else {
                    continuation.resume(returning: mailbox.queue.removeFirst())
                    return nil
                }
                let older = mailbox.waiter
                mailbox.waiter = Waiter(id: id, continuation: continuation)
                return older
            }
            superseded?.continuation.resume(returning: nil)
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
