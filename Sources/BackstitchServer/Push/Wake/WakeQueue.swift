import BackstitchSupport

/// The pushes that wait to be sent, and those that wait for another attempt. Of several for the same subscription on
/// the same device the last one stays, in the place of the first; when there are too many the oldest ones go.
///
/// It is memory of this server, and ends with it: a push is a hint, and a device that gets none looks when it runs.
final class WakeQueue: Sendable {
    /// A push, and the attempts that it has behind it.
    struct Item: Sendable {
        var push: WakePush
        var attempts = 0
        /// Not before this uptime; nil for at once.
        var due: Int64?
    }

    fileprivate struct State {
        var items: [WakePush.Key: Item] = [:]
        /// The keys of items that may be sent, in order; those before `head` were taken.
        var ready: [WakePush.Key] = []
        var head = 0
        /// The keys of items that wait for their time.
        var later: Set<WakePush.Key> = []
        var isEnded = false
    }

    /// Pushes that wait at most. A device takes some 1 KB.
    static let most = 10_000

    /// Comes when there is something to send.
    let signals: AsyncStream<Void>
    /// Comes when something waits for its time.
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

    /// How many pushes wait.
    var count: Int { state.withLock { $0.items.count } }

    /// Adds pushes, and gives how many others had to go.
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

    /// Keeps an item that was taken for another attempt, unless a newer push has come in its place.
    func putBack(_ item: Item) {
        let isKept = state.withLock { state in
            guard state.items[item.push.key] == nil, state.items.count < most, !state.isEnded else { return false }
            state.items[item.push.key] = item
            state.later.insert(item.push.key)
            return true
        }
        if isKept { wait.yield() }
    }

    /// Takes the next item that may be sent.
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

    /// Lets items be sent whose time has come. Gives the uptime of the next one; nil when none waits.
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

    /// Takes no more attempts, and drops those that wait; pushes that may be sent now are the last ones.
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
    /// Removes the oldest item that may be sent, or else one that waits.
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
