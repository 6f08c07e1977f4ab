import Backstitch
import BackstitchSQL
import BackstitchSupport

/// Carries out writes. Users take turns, so whoever writes much waits behind himself.
///
/// Where a database has one writer, writes go one after the other, and those that wait together share one commit, and
/// so one fsync: the first write of a group runs in the transaction itself, each further one in a savepoint, so that
/// one that throws undoes nothing but itself. Nobody is answered before the common commit, and a commit that fails
/// fails all of them. A user whose writes take long has the next one alone, unless the whole group is this user's:
/// others wait for the one that runs, and not for another one behind their own. Where a database has several writers,
/// or other servers write too, each write is a transaction, and as many run at a time: the database itself shares the
/// fsync.
final class GroupCommit: Sendable {
    /// Where a group ends, so that its first write does not wait long for the others.
    struct Limits: Sendable {
        var writes = 64
        /// Bytes of requests.
        var bytes = 4 << 20
        /// Rows that were changed.
        var rows = 4000
        /// Time after which no further write begins.
        var work = Duration.milliseconds(50)
        /// A write that takes longer makes its user one whose writes take long.
        var short = Duration.milliseconds(20)
    }

    private struct State {
        var waiting = TurnLine<PendingWrite>()
        var running = 0
        /// Users whose last write took long; a thousand at most.
        var slowUsers: Set<String> = []

        /// Takes out the next write if a group may take it.
        mutating func removeNext(for group: CommitGroup, _ limits: Limits) -> PendingWrite? {
            guard let next = waiting.next, group.hasRoom(for: next.element, limits),
                !slowUsers.contains(next.user) || group.isOnly(of: next.user)
            else { return nil }
            return waiting.removeNext()
        }

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
    private let runner: any WorkRunner
    private let writers: WorkerPool
    private let writerCount: Int
    private let limits: Limits
    private let metrics = CommitMetrics()
    private let state = Locked(State())

    /// - Parameter witness: Is told of each commit; nil for a storage that is in no directory.
    init(
        _ database: any SQLDatabase, witness: StorageWitness?, runner: any WorkRunner = ThreadRunner(),
        limits: Limits = Limits()
    ) {
        self.database = database
        self.witness = witness
        self.runner = runner
        writerCount = database.writerCount
        writers = WorkerPool(name: "backstitch.server.writer", limit: writerCount)
        var limits = limits
        if database.hasOtherWriters { limits.writes = 1 }
        self.limits = limits
    }

    /// How many writes wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` on a writer's thread, and gives what it gives after the commit.
    ///
    /// - Parameters:
    ///   - user: For whom; where there is one writer, the writes of one user keep their order.
    ///   - bytes: Size of the request that it carries out.
    /// - Throws: what `body` throws, or why the commit failed; either way nothing of it was written.
    func write<Value: Sendable>(
        for user: String, bytes: Int, _ body: @escaping @Sendable (any ZoneWriting) throws -> Value
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

    /// The next write of a group, by what the last one took.
    private func next(for group: CommitGroup) -> PendingWrite? {
        noteTime(of: group)
        return state.withLock { $0.removeNext(for: group, limits) }
    }

    private func noteTime(of group: CommitGroup) {
        state.withLock { $0.note(group.last.user, isSlow: group.last.time > limits.short) }
    }

    private func carryOutGroup() {
        // Another writer may have taken it.
        guard let first = state.withLock({ $0.waiting.removeNext() }) else { return }
        let group = CommitGroup(first)
        do {
            let (life, wait) = try database.transact { connection in
                let transaction = SQLTransaction(connection, group.written)
                try group.run(on: transaction) { next(for: group) }
                let life = try witness == nil || group.written.count == 0 ? nil : transaction.countCommit()
                return (life, ContinuousClock.now)
            }
            metrics.note(group.count, since: group.start, waitingSince: wait)
            if let life { witness?.note(life) }
        } catch {
            // One that takes long and is refused then keeps others waiting as well.
            noteTime(of: group)
            return group.fail(error)
        }
        group.answer()
    }
}

/// A write that waits for its turn.
private struct PendingWrite: Sendable {
    let user: String
    let bytes: Int
    /// Runs the write, and gives how to answer it after the commit.
    let run: @Sendable (SQLTransaction) throws -> @Sendable () -> Void
    let fail: @Sendable (any Error) -> Void

    init(
        user: String, bytes: Int, run: @escaping @Sendable (SQLTransaction) throws -> @Sendable () -> Void,
        fail: @escaping @Sendable (any Error) -> Void
    ) {
        self.user = user
        self.bytes = bytes
        self.run = run
        self.fail = fail
    }
}

/// The writes of one transaction.
private final class CommitGroup {
    let written = WrittenRows()
    private let first: PendingWrite
    private var members: [(write: PendingWrite, answer: @Sendable () -> Void)] = []
    private var users: Set<String> = []
    private var bytes = 0
    private var runs = 0
    /// The user of the last write, and how long it took.
    private(set) var last = (user: "", time: Duration.zero)
    let start = ContinuousClock.now

    /// How many writes it has carried out.
    var count: Int { members.count }

    init(_ first: PendingWrite) { self.first = first }

    func hasRoom(for write: PendingWrite, _ limits: GroupCommit.Limits) -> Bool {
        runs < limits.writes && bytes + write.bytes <= limits.bytes && written.count < limits.rows
            && ContinuousClock.now - start < limits.work
    }

    func isOnly(of user: String) -> Bool { users == [user] }

    /// Runs the writes, the first one and those that come. A database that runs it again, because others were in the
    /// way, has several writers, and then there is but the first.
    ///
    /// - Throws: what the first write throws, or why the whole transaction is lost.
    func run(on transaction: SQLTransaction, next: () -> PendingWrite?) throws {
        written.count = 0
        members = []
        (runs, bytes, users) = (0, 0, [])
        members = [(first, try timed(first) { try first.run(transaction) })]
        while let write = next() {
            do {
                let answer = try timed(write) {
                    try transaction.connection.inSavepoint { try write.run(transaction) }
                }
                members.append((write, answer))
            } catch {
                write.fail(error)
                // A full disk, for one, undoes the whole transaction.
                if let failure = error as? TransactionFailure, failure.kind == .undone { throw failure.cause }
            }
        }
    }

    private func timed<Value>(_ write: PendingWrite, _ run: () throws -> Value) rethrows -> Value {
        runs += 1
        bytes += write.bytes
        users.insert(write.user)
        let start = ContinuousClock.now
        defer { last = (write.user, ContinuousClock.now - start) }
        return try run()
    }

    func answer() {
        for member in members { member.answer() }
    }

    func fail(_ error: any Error) {
        if members.isEmpty { return first.fail(error) }
        for member in members { member.write.fail(error) }
    }
}
