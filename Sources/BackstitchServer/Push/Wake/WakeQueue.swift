import BackstitchSupport

/// The pushes waiting to be sent, and those waiting for another attempt. Of several for one subscription on one device,
/// the last one stays, in the place of the first. If there are too many, the oldest are dropped.
///
/// The queue is in this server's memory, and ends with it. A push is a hint, and a device without it looks when it
/// runs.
final class WakeQueue: Sendable {
    /// A push, with the number of its attempts so far.
    struct Item: Sendable {
        var push: WakePush
        var attempts = 0
        /// The earliest uptime for it; nil for at once.
        var due: Int64?
    }

    fileprivate struct State {
        var items: [WakePush.Key: Item] = [:]
        /// The keys of items ready to be sent, in order. Those before `head` were taken.
        var ready: [WakePush.Key] = []
        var head = 0
        /// The keys of items waiting for their time.
        var later: Set<WakePush.Key> = []
        var isEnded = false
    }

    /// Most waiting pushes. One takes about 1 KB.
    static let most = 10_000

    /// Yields when there is something to send.
    let signals: AsyncStream<Void>
    /// Yields when something waits for its time.
    let waits: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let wait: AsyncStream<Void>.Continuation
    private let most: Int
    private let state = Locked(State())

    init(most: Int = WakeQueue.most) {
        self.most = most
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (waits, wait) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The number of waiting pushes.
    var count: Int { state.withLock { $0.items.count } }

    /// Adds pushes, and returns the number of others dropped for them.
    func add(_ pushes: [WakePush]) -> Int {
        if pushes.isEmpty { return 0 }
        let dropped = state.withLock { state in
            var dropped = 0
            for push in pushes {
                if let older = state.items[push.key] {
                    state.items[push.key] = Item(push: push, attempts: older.attempts, due: older.due)
                    continue
                }
                if state.items.count >= most, state.dropOldest() { dropped += 1 }
                state.items[push.key] = Item(push: push)
                state.ready.append(push.key)
            }
            return dropped
        }
        signal.yield()
        return dropped
    }

    /// Keeps a taken item for another attempt, unless a newer push has taken its place.
    func putBack(_ item: Item) {
        let isKept = state.withLock { state in
            guard state.items[item.push.key] == nil, state.items.count < most, !state.isEnded else { return false }
            state.items[item.push.key] = item
            state.later.insert(item.push.key)
            return true
        }
        if isKept { wait.yield() }
    }

    /// Takes the next item ready to be sent.
    func take() -> Item? {
        state.withLock { state in
            while state.head < state.ready.count {
                let key = state.ready[state.head]
                state.head += 1
                if state.head > 1_024, state.head * 2 > state.ready.count {
                    state.ready.removeFirst(state.head)
                    state.head = 0
                }
                if let item = state.items.removeValue(forKey: key) { return item }
            }
            state.ready = []
            state.head = 0
            return nil
        }
    }

    /// Makes items ready when their time has come. Returns the uptime of the next one; nil if none waits.
    func release(at now: Int64) -> Int64? {
        let (isDue, next): (Bool, Int64?) = state.withLock { state in
            let due = state.later.filter { state.items[$0]?.due.map { $0 <= now } ?? true }
            state.later.subtract(due)
            state.ready += due
            return (!due.isEmpty, state.later.compactMap { state.items[$0]?.due }.min())
        }
        if isDue { signal.yield() }
        return next
    }

    /// Accepts no more attempts, and drops the items waiting for one. The items ready to be sent are the last ones.
    func end() {
        state.withLock { state in
            state.isEnded = true
            for key in state.later { state.items[key] = nil }
            state.later = []
        }
        signal.yield()
        signal.finish()
        wait.finish()
    }
}

extension WakeQueue.State {
    /// Removes the oldest item ready to be sent, or else a waiting one.
    fileprivate mutating func dropOldest() -> Bool {
        while head < ready.count {
            let key = ready[head]
            head += 1
            if items.removeValue(forKey: key) != nil { return true }
        }
        guard let key = later.first else { return false }
        later.remove(key)
        items[key] = nil
        return true
    }
}
