import Backstitch
import BackstitchSupport
import GRDB

/// Carries out writes one after the other; those that wait together share one commit, and so one fsync. Users take
/// turns, so whoever writes much waits behind himself.
///
/// The first write of a group runs in the transaction itself, each further one in a savepoint, so that one that throws
/// undoes nothing but itself. Nobody is answered before the common commit, and a commit that fails fails all of them.
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
    }

    private struct State {
        var waiting = TurnLine<PendingWrite>()
        var isRunning = false
    }

    private let database: any DatabaseWriter
    private let witness: StorageWitness?
    private let runner: any WorkRunner
    private let limits: Limits
    private let metrics = CommitMetrics()
    private let state = Locked(State())

    /// - Parameter witness: Is told of each commit; nil for a storage in memory.
    init(
        _ database: any DatabaseWriter, witness: StorageWitness?, runner: any WorkRunner = ThreadRunner(),
        limits: Limits = Limits()
    ) {
        self.database = database
        self.witness = witness
        self.runner = runner
        self.limits = limits
    }

    /// How many writes wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` on the writer's thread, and gives what it gives after the commit.
    ///
    /// - Parameters:
    ///   - user: For whom; the writes of one user keep their order.
    ///   - bytes: Size of the request that it carries out.
    /// - Throws: what `body` throws, or why the commit failed; either way nothing of it was written.
    func write<Value: Sendable>(
        for user: String, bytes: Int, _ body: @escaping @Sendable (any ZoneWriting) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let write = PendingWrite(bytes: bytes) { transaction in
                let value = try body(transaction)
                return { continuation.resume(returning: value) }
            } fail: {
                continuation.resume(throwing: $0)
            }
            let mustStart = state.withLock { state in
                state.waiting.append(write, of: user)
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if mustStart { start() }
        }
    }

    private func start() {
        runner.write(database) { [self] db in
            var group = CommitGroup(db)
            while group.hasRoom(limits), let next = state.withLock({ $0.waiting.removeNext() }) {
                group.run(next)
            }
            group.commit(witness, metrics)
            let isDone = state.withLock { state in
                state.isRunning = !state.waiting.isEmpty
                return !state.isRunning
            }
            if !isDone { start() }
        }
    }
}

/// A write that waits for its turn.
private struct PendingWrite: Sendable {
    let bytes: Int
    /// Runs the write, and gives how to answer it after the commit.
    let run: @Sendable (SQLiteTransaction) throws -> @Sendable () -> Void
    let fail: @Sendable (any Error) -> Void

    init(
        bytes: Int, run: @escaping @Sendable (SQLiteTransaction) throws -> @Sendable () -> Void,
        fail: @escaping @Sendable (any Error) -> Void
    ) {
        self.bytes = bytes
        self.run = run
        self.fail = fail
    }
}

/// The writes of one transaction.
private struct CommitGroup {
    private let db: Database
    private let actions = CommitActions()
    private let rowsBefore: Int
    private var members: [(write: PendingWrite, answer: @Sendable () -> Void)] = []
    private var bytes = 0
    private var runs = 0
    private let start = ContinuousClock.now

    init(_ db: Database) {
        self.db = db
        rowsBefore = db.totalChangesCount
    }

    func hasRoom(_ limits: GroupCommit.Limits) -> Bool {
        runs == 0
            || runs < limits.writes && bytes < limits.bytes && db.totalChangesCount - rowsBefore < limits.rows
                && ContinuousClock.now - start < limits.work
    }

    mutating func run(_ write: PendingWrite) {
        runs += 1
        bytes += write.bytes
        let actionsBefore = actions.count
        do {
            let answer = try members.isEmpty ? runFirst(write) : runFurther(write)
            members.append((write, answer))
        } catch {
            actions.drop(after: actionsBefore)
            write.fail(error)
            // A full disk, for one, undoes the whole transaction.
            if !db.isInsideTransaction { failAll(error) }
        }
    }

    private func runFirst(_ write: PendingWrite) throws -> @Sendable () -> Void {
        try db.beginTransaction(.immediate)
        do {
            return try write.run(SQLiteTransaction(db, actions))
        } catch {
            if db.isInsideTransaction { try db.rollback() }
            throw error
        }
    }

    private func runFurther(_ write: PendingWrite) throws -> @Sendable () -> Void {
        var answer: @Sendable () -> Void = {}
        try db.inSavepoint {
            answer = try write.run(SQLiteTransaction(db, actions))
            return .commit
        }
        return answer
    }

    mutating func commit(_ witness: StorageWitness?, _ metrics: CommitMetrics) {
        guard !members.isEmpty else { return }
        do {
            do {
                let hasChanged = db.totalChangesCount > rowsBefore
                let life = try witness == nil || !hasChanged ? nil : SQLiteTransaction(db).countCommit()
                let wait = ContinuousClock.now
                try db.commit()
                metrics.note(members.count, since: start, waitingSince: wait)
                if let life { witness?.note(life) }
            } catch {
                if db.isInsideTransaction { try db.rollback() }
                throw error
            }
        } catch { return failAll(error) }
        actions.run()
        for member in members { member.answer() }
    }

    private mutating func failAll(_ error: any Error) {
        for member in members { member.write.fail(error) }
        members = []
        actions.drop(after: 0)
    }
}
