import Backstitch
import BackstitchSupport
import CloudWire

/// Keeps the news of commits until devices are told of them, so no request waits for that.
///
/// News of one database are merged while they wait, so many commits cost few looks. Workers take the databases in
/// turn: a database with new news waits behind all others. No database is told by two workers at once.
///
/// The memory is bounded. A request waits here until there is room for its news. News are never dropped, except at
/// ``end()``.
final class PushStage: Sendable {
    /// The ceilings of a stage.
    struct Limits: Sendable {
        /// The most databases with news at a time.
        var databases = 10_000
        /// Bytes of all news.
        var bytes = 16 << 20
        /// Bytes of the news of one database.
        var bytesOfDatabase = 2 << 20
        /// Changed records of one database.
        var changesOfDatabase = 1_000
        /// Looks at the storage at a time.
        var workers = 4
    }

    typealias Tell = @Sendable (StagedPush) async -> Void

    /// The news of a database, and the calls of ``settle(_:)`` that wait for them.
    fileprivate struct Entry {
        var push: StagedPush
        var settlers: [UInt64] = []
    }

    /// A request that waits for room.
    fileprivate struct Post {
        let push: StagedPush
        let continuation: CheckedContinuation<Void, Never>
    }

    /// A call of ``settle(_:)``.
    fileprivate struct Settler {
        /// The number of entries it still waits for.
        var left: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    fileprivate struct State {
        var waiting: [StagedPush.Key: Entry] = [:]
        /// The databases that are told now, with the news of which they are told.
        var telling: [StagedPush.Key: Entry] = [:]
        /// The waiting databases that are not told now, in the order of their turns. Those before `head` were taken.
        var turns: [StagedPush.Key] = []
        var head = 0
        var bytes = 0
        var workers = 0
        /// The requests that wait for room, oldest first.
        var posts: [Post] = []
        var settlers: [UInt64: Settler] = [:]
        var lastSettler: UInt64 = 0
        var isEnded = false
    }

    private let limits: Limits
    private let state = Locked(State())

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// The number of databases with news, of which devices are perhaps told right now.
    var count: Int { state.withLock { $0.waiting.count + $0.telling.count } }

    /// The number of requests that wait for room.
    var posting: Int { state.withLock { $0.posts.count } }

    /// The number of calls that wait for the telling.
    var settling: Int { state.withLock { $0.settlers.count } }

    /// Takes news, and begins a worker if that helps. Returns when there was room for the news.
    ///
    /// - Parameter tell: Tells devices of news. A worker keeps it only as long as it works.
    func post(_ push: StagedPush, _ runner: any WorkRunner, tell: @escaping Tell) async {
        await withCheckedContinuation { continuation in
            let admitted = state.withLock { state in
                state.posts.append(Post(push: push, continuation: continuation))
                return state.admit(limits)
            }
            for admitted in admitted { admitted.resume() }
        }
        guard state.withLock({ $0.beginWorker(limits) }) else { return }
        await runner.begin { [self] in await work(tell) }
    }

    /// Waits until devices were told of all news posted before. Returns early if the task is cancelled.
    ///
    /// - Parameter databases: The databases of the news; nil for all.
    func settle(_ databases: [DatabaseKey]? = nil) async {
        let id = state.withLock { $0.nextSettler() }
        await withTaskCancellationHandler {
            await wait(id, databases, unlessCancelled: true)
        } onCancel: {
            state.withLock { $0.settlers.removeValue(forKey: id) }?.continuation.resume()
        }
    }

    /// The same, for a limited time. Returns whether devices were told of everything.
    func settle(within milliseconds: Int64, _ clock: any WallClock) async -> Bool {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.settle() }
            group.addTask {
                do { try await clock.sleep(milliseconds: milliseconds) } catch {
                    // Everything was told before.
                }
            }
            await group.next()
            group.cancelAll()
        }
        return count == 0
    }

    /// Drops the news that wait, and returns when no worker tells any more. Later news are dropped too.
    func end() async {
        let (id, released) = state.withLock { ($0.nextSettler(), $0.end()) }
        for continuation in released { continuation.resume() }
        await wait(id, nil, unlessCancelled: false)
    }

    private func wait(_ id: UInt64, _ databases: [DatabaseKey]?, unlessCancelled: Bool) async {
        let keys = databases.map { Set($0.map(StagedPush.Key.init)) }
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                // The handler of a later cancellation finds the settler: it needs the lock.
                if unlessCancelled, Task.isCancelled { return false }
                return state.settle(id, keys, continuation)
            }
            if !mustWait { continuation.resume() }
        }
    }

    private func work(_ tell: Tell) async {
        while let push = state.withLock({ $0.take() }) {
            await tell(push)
            let released = state.withLock { $0.finish(push.key, limits) }
            for continuation in released { continuation.resume() }
        }
    }
}

extension PushStage.State {
    fileprivate typealias Continuation = CheckedContinuation<Void, Never>

    /// Takes the news of waiting requests, as far as there is room. Returns the requests that go on.
    ///
    /// A request waits behind the earlier ones of its database. One that lacks room among all databases stops the
    /// others too, so it gets the room that comes.
    fileprivate mutating func admit(_ limits: PushStage.Limits) -> [Continuation] {
        var admitted: [Continuation] = [], left: [PushStage.Post] = [], full: Set<StagedPush.Key> = []
        var isFull = false
        for post in posts {
            let key = post.push.key
            if !isFull, !full.contains(key) {
                if isEnded {
                    admitted.append(post.continuation)
                    continue
                }
                isFull = !hasRoom(for: post.push, limits)
                if !isFull, hasOwnRoom(for: post.push, limits) {
                    add(post.push)
                    admitted.append(post.continuation)
                    continue
                }
                full.insert(key)
            }
            left.append(post)
        }
        posts = left
        return admitted
    }

    /// Whether the news fit among those of all databases. News too large for that fit alone.
    private func hasRoom(for push: StagedPush, _ limits: PushStage.Limits) -> Bool {
        if bytes == 0 { return true }
        let isKnown = waiting[push.key] != nil
        return bytes + push.weight <= limits.bytes
            && (isKnown || waiting.count + telling.count < limits.databases)
    }

    /// Whether the news fit among those of their database.
    private func hasOwnRoom(for push: StagedPush, _ limits: PushStage.Limits) -> Bool {
        guard let own = waiting[push.key]?.push else { return true }
        return own.weight + push.weight <= limits.bytesOfDatabase
            && own.changes.count + push.changes.count <= limits.changesOfDatabase
    }

    private mutating func add(_ push: StagedPush) {
        let key = push.key
        guard var entry = waiting.removeValue(forKey: key) else {
            waiting[key] = PushStage.Entry(push: push)
            bytes += push.weight
            if telling[key] == nil { turns.append(key) }
            return
        }
        bytes -= entry.push.weight
        entry.push.merge(push)
        bytes += entry.push.weight
        waiting[key] = entry
    }

    /// Counts a new worker, if a database waits for one.
    fileprivate mutating func beginWorker(_ limits: PushStage.Limits) -> Bool {
        guard workers < limits.workers, head < turns.count else { return false }
        workers += 1
        return true
    }

    /// The news of the database whose turn it is. Without any the worker ends.
    fileprivate mutating func take() -> StagedPush? {
        guard head < turns.count else {
            workers -= 1
            return nil
        }
        let key = turns[head]
        head += 1
        if head == turns.count || head > 1_000 {
            turns.removeFirst(head)
            head = 0
        }
        let entry = waiting.removeValue(forKey: key)
        telling[key] = entry
        return entry?.push
    }

    /// Ends the telling of a database. Returns the calls that go on.
    fileprivate mutating func finish(_ key: StagedPush.Key, _ limits: PushStage.Limits) -> [Continuation] {
        guard let entry = telling.removeValue(forKey: key) else { return [] }
        bytes -= entry.push.weight
        if waiting[key] != nil { turns.append(key) }
        return admit(limits) + release(entry.settlers)
    }

    fileprivate mutating func nextSettler() -> UInt64 {
        lastSettler += 1
        return lastSettler
    }

    /// Has a call wait for the news of some databases, or all. Returns false if there are none.
    fileprivate mutating func settle(
        _ id: UInt64, _ keys: Set<StagedPush.Key>?, _ continuation: Continuation
    ) -> Bool {
        var left = 0
        for key in keys ?? Set(waiting.keys).union(telling.keys) {
            if waiting[key] != nil {
                waiting[key]?.settlers.append(id)
                left += 1
            }
            if telling[key] != nil {
                telling[key]?.settlers.append(id)
                left += 1
            }
        }
        if left == 0 { return false }
        settlers[id] = PushStage.Settler(left: left, continuation: continuation)
        return true
    }

    /// Counts an entry as told. Returns the calls that have waited for it last.
    private mutating func release(_ ids: [UInt64]) -> [Continuation] {
        ids.compactMap { id in
            settlers[id]?.left -= 1
            return settlers[id]?.left == 0 ? settlers.removeValue(forKey: id)?.continuation : nil
        }
    }

    /// Drops everything that waits. Returns the calls that go on.
    fileprivate mutating func end() -> [Continuation] {
        isEnded = true
        let dropped = waiting.values
        waiting = [:]
        (turns, head) = ([], 0)
        bytes -= dropped.reduce(0) { $0 + $1.push.weight }
        let requests = posts.map(\.continuation)
        posts = []
        return requests + dropped.flatMap(\.settlers).reduce(into: []) { $0 += release([$1]) }
    }
}
