import Backstitch
import BackstitchSQL
import BackstitchSupport

/// Carries out writes. Users take turns, so the many writes of one user delay only that user.
///
/// If a database has one writer, writes run one after the other. Writes that wait together share one commit, and so one
/// fsync. The first write of a group runs in the transaction itself, and each further one in a savepoint. So a write
/// that throws undoes only itself. No caller gets an answer before the common commit, and a failed commit fails all its
/// writes.
///
/// A user whose last write took long begins a new group, unless the present group has only this user's writes. So
/// others wait for one long write at most, and not for a second one in their own group.
///
/// If a database has several writers, or other servers write too, each write is a transaction of its own. They run at
/// the same time, one for each writer, and the database itself shares the fsync.
final class GroupCommit: Sendable {
    /// The limits of a group. They keep its first write from waiting long for the others.
    struct Limits: Sendable {
        var writes = 64
        /// The total bytes of the requests.
        var bytes = 4 << 20
        /// The number of changed rows.
        var rows = 4000
        /// The time after which no further write begins.
        var work = Duration.milliseconds(50)
        /// The time above which a write counts as long.
        var short = Duration.milliseconds(20)
    }

    /// The waiting writes, and the number of running writers.
    private struct State {
        var waiting = TurnLine<PendingWrite>()
        var running = 0
        /// The users whose last write took long. The set is emptied when it has a thousand.
        var slowUsers: Set<String> = []

        /// Removes the next write from the line, if the group may take it.
        mutating func removeNext(for group: CommitGroup, _ limits: Limits) -> PendingWrite? {
            guard let next = waiting.next, group.hasRoom(for: next.element, limits),
                !slowUsers.contains(next.user) || group.isOnly(of: next.user)
            else { return nil }
            return waiting.removeNext()
        }

        /// Notes whether the last write of a user took long.
        mutating func note(_ user: String, isSlow: Bool) {
            guard isSlow else {
                slowUsers.remove(user)
                return
            }
            if slowUsers.count >= 1_000 { slowUsers = [] }
            slowUsers.insert(user)
        }
    }

    private let database: any SQLDatabase
    private let witness: StorageWitness?
    private let room: DiskRoom?
    private let runner: any WorkRunner
    private let writers: WorkerPool
    private let writerCount: Int
    private let limits: Limits
    private let metrics = CommitMetrics()
    private let state = Locked(State())

    /// - Parameters:
    ///   - witness: The witness to tell of each commit; nil for a storage without a directory.
    ///   - room: The room on the disk, which is measured before each group; nil to do without.
    init(
        _ database: any SQLDatabase, witness: StorageWitness?, room: DiskRoom? = nil,
        runner: any WorkRunner = ThreadRunner(), limits: Limits = Limits()
    ) {
        self.database = database
        self.witness = witness
        self.room = room
        self.runner = runner
        writerCount = database.writerCount
        writers = WorkerPool(name: "backstitch.server.writer", limit: writerCount)
        var limits = limits
        if database.hasOtherWriters { limits.writes = 1 }
        self.limits = limits
    }

    /// The number of waiting writes.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` on a writer's thread, and returns its value after the commit.
    ///
    /// - Parameter user: The user of the request. If there is one writer, the writes of one user keep their order.
    /// - Parameter bytes: The size of the request.
    /// - Throws: The error of `body` or of the commit. Either way nothing was written.
    func write<Value: Sendable>(
        for user: String, bytes: Int, _ body: @escaping @Sendable (ZoneTransaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let write = PendingWrite(user: user, bytes: bytes) { transaction in
                let value = try body(transaction)
                return { continuation.resume(returning: value) }
            } fail: {
                continuation.resume(throwing: $0)
            }
            let mustStart = state.withLock { state in
                state.waiting.append(write, of: user)
                guard state.running < writerCount else { return false }
                state.running += 1
                return true
            }
            if mustStart { start() }
        }
    }

    /// Starts a writer. It carries out one group, and starts again as long as writes wait.
    private func start() {
        runner.write(on: writers) { [self] in
            carryOutGroup()
            let isDone = state.withLock { state in
                if state.waiting.isEmpty { state.running -= 1 }
                return state.waiting.isEmpty
            }
            if !isDone { start() }
        }
    }

    /// The next write of a group. First the time of the last one is noted, since it can make its user slow.
    private func next(for group: CommitGroup) -> PendingWrite? {
        noteTime(of: group)
        return state.withLock { $0.removeNext(for: group, limits) }
    }

    private func noteTime(of group: CommitGroup) {
        state.withLock { $0.note(group.last.user, isSlow: group.last.time > limits.short) }
    }

    /// Carries out one group in one transaction, and answers its writes.
    private func carryOutGroup() {
        // Another writer may have taken the last write.
        guard let first = state.withLock({ $0.waiting.removeNext() }) else { return }
        let group = CommitGroup(first)
        do {
            try room?.prepare()
            let (life, wait) = try database.transact { connection in
                let transaction = ZoneTransaction(connection)
                try group.run(on: transaction) { next(for: group) }
                let life = try witness == nil || transaction.changedRows == 0 ? nil : transaction.countCommit()
                return (life, ContinuousClock.now)
            }
            metrics.note(group.count, since: group.start, waitingSince: wait)
            if let life { witness?.note(life) }
        } catch {
            // A refused write also delays others if it is long.
            noteTime(of: group)
            return group.fail(error)
        }
        group.answer()
    }
}

/// A write that waits for its turn, with its caller's continuation.
private struct PendingWrite: Sendable {
    let user: String
    let bytes: Int
    /// Runs the write, and returns the function that answers it after the commit.
    let run: @Sendable (ZoneTransaction) throws -> @Sendable () -> Void
    let fail: @Sendable (any Error) -> Void

    init(
        user: String, bytes: Int, run: @escaping @Sendable (ZoneTransaction) throws -> @Sendable () -> Void,
        fail: @escaping @Sendable (any Error) -> Void
    ) {
        self.user = user
        self.bytes = bytes
        self.run = run
        self.fail = fail
    }
}

/// The writes of one transaction, in the order of their turns.
private final class CommitGroup {
    private let first: PendingWrite
    private var members: [(write: PendingWrite, answer: @Sendable () -> Void)] = []
    private var users: Set<String> = []
    private var bytes = 0
    private var rows = 0
    private var runs = 0
    /// The user of the last write, and its duration.
    private(set) var last = (user: "", time: Duration.zero)
    let start = ContinuousClock.now

    /// The number of successful writes.
    var count: Int { members.count }

    init(_ first: PendingWrite) { self.first = first }

    /// Whether one more write keeps the group within its limits.
    func hasRoom(for write: PendingWrite, _ limits: GroupCommit.Limits) -> Bool {
        runs < limits.writes && bytes + write.bytes <= limits.bytes && rows < limits.rows
            && ContinuousClock.now - start < limits.work
    }

    func isOnly(of user: String) -> Bool { users == [user] }

    /// Runs the first write and the further ones from `next`.
    ///
    /// A database with several writers may run it again after a conflict. Its groups have only one write.
    ///
    /// - Throws: The error of the first write, or the reason why the whole transaction is lost.
    func run(on transaction: ZoneTransaction, next: () -> PendingWrite?) throws {
        members = []
        (runs, bytes, rows, users) = (0, 0, 0, [])
        members = [(first, try timed(first, transaction) { try first.run(transaction) })]
        while let write = next() {
            do {
                let answer = try timed(write, transaction) {
                    try transaction.connection.inSavepoint { try write.run(transaction) }
                }
                members.append((write, answer))
            } catch {
                write.fail(error)
                // Some errors, like a full disk, undo the whole transaction.
                if let failure = error as? TransactionFailure, failure.kind == .undone { throw failure.cause }
            }
        }
    }

    /// Runs a write, and notes its size, its user, its duration and the rows changed so far.
    private func timed<Value>(
        _ write: PendingWrite, _ transaction: ZoneTransaction, _ run: () throws -> Value
    ) rethrows -> Value {
        runs += 1
        bytes += write.bytes
        users.insert(write.user)
        let start = ContinuousClock.now
        defer {
            last = (write.user, ContinuousClock.now - start)
            rows = transaction.changedRows
        }
        return try run()
    }

    /// Answers all writes of the group, after the commit.
    func answer() {
        for member in members { member.answer() }
    }

    /// Fails all writes of the group, because the transaction is lost.
    func fail(_ error: any Error) {
        if members.isEmpty { return first.fail(error) }
        for member in members { member.write.fail(error) }
    }
}
