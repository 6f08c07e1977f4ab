import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation

/// The connection that holds a store's locks. It is a connection of its own, because the server releases the locks when
/// it ends.
///
/// A thread owns the connection. It notices a broken connection at once. While locks are held, it also queries the
/// server every five seconds.
final class LockSession: Sendable {
    /// A piece of work for the thread, and the receiver of its result.
    private struct Job {
        let work: @Sendable (PostgreSQLConnection) throws -> Bool
        let end: @Sendable (Result<Bool, any Error>) -> Void
    }

    /// A lock that is held, and the call for its loss.
    private struct Held {
        let key: Int64
        let mode: StoreLockMode
        let onLoss: @Sendable () -> Void
    }

    /// The jobs for the thread, and the locks, by the numbers of their ``PostgreSQLLock``.
    private struct State {
        var jobs: [Job] = []
        var isClosed = false
        /// The locks that are held, by their numbers.
        var held: [Int: Held] = [:]
        var locks = 0
    }

    private let pool: PostgreSQLPool
    private let schema: String
    private let name: String
    private let bell: WakePipe
    private let state = Locked(State())

    /// The seconds between two checks of the server.
    private static let beat = 5.0

    init(_ options: PostgreSQLOptions, name: String) throws {
        // A process may wait for a lock, or for the report of its loss, so the timeout is only seconds.
        var hasty = options
        hasty.statementTimeout = Self.beat
        pool = PostgreSQLPool(hasty, name: name)
        schema = options.schema
        self.name = name
        bell = try WakePipe()
        let thread = Thread { [self] in serve() }
        thread.name = "backstitch locks"
        thread.start()
    }

    /// Makes a lock of that name for the store.
    func lock(_ name: String, onLoss: @escaping @Sendable () -> Void) -> PostgreSQLLock {
        let number = state.withLock { state in
            state.locks += 1
            return state.locks
        }
        let key =
            Int64(PostgreSQLOpener.number(of: "backstitch \(name)")) << 32 | Int64(PostgreSQLOpener.number(of: schema))
        return PostgreSQLLock(self, number: number, key: key, onLoss: onLoss)
    }

    /// Ends the thread and the connection, and with it all locks. Holders get no report.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.held = [:]
        }
        bell.ring()
    }
}

extension LockSession {
    /// Takes a lock, or changes the mode of a held one. The result is false if another holder is in the way.
    func take(_ mode: StoreLockMode, _ number: Int, key: Int64, onLoss: @escaping @Sendable () -> Void) throws -> Bool {
        try run { [self] connection in
            let (before, isFree) = state.withLock { state in
                let others = state.held.filter { $0.key != number && $0.value.key == key }
                // For the server all locks of a session have one owner, so locks within this store are compared here.
                let isFree = others.allSatisfy { mode == .shared && $0.value.mode == .shared }
                return (state.held[number]?.mode, isFree)
            }
            if before == mode { return true }
            let isTaken = try isFree && ask("pg_try_advisory_lock", mode, key, connection)
            if let before { _ = try ask("pg_advisory_unlock", before, key, connection) }
            state.withLock { $0.held[number] = isTaken ? Held(key: key, mode: mode, onLoss: onLoss) : nil }
            return isTaken
        }
    }

    /// Releases a lock, so that others can take it.
    func release(_ number: Int) {
        guard let held = state.withLock({ $0.held[number] }) else { return }
        do {
            _ = try run { [self] connection in
                guard state.withLock({ $0.held.removeValue(forKey: number) }) != nil else { return false }
                return try ask("pg_advisory_unlock", held.mode, held.key, connection)
            }
        } catch {
            // If the server cannot be reached, it has ended the session, and with it the lock.
            state.withLock { $0.held[number] = nil }
        }
    }

    /// Calls one of the server's lock functions, in the form for the mode.
    private func ask(
        _ function: String, _ mode: StoreLockMode, _ key: Int64, _ connection: PostgreSQLConnection
    ) throws -> Bool {
        var statement = SQLStatement(.postgreSQL, "SELECT \(function)\(mode == .shared ? "_shared" : "")(")
        statement.append(.int(key))
        statement.append(")")
        var answer = false
        try connection.forEachRow(of: statement) { answer = $0.int(0) != 0 }
        return answer
    }

    /// Runs `work` with the connection on the thread, and waits for its end.
    private func run(_ work: @escaping @Sendable (PostgreSQLConnection) throws -> Bool) throws -> Bool {
        let answer = Locked<Result<Bool, any Error>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        let isOpen = state.withLock { state in
            guard !state.isClosed else { return false }
            state.jobs.append(
                Job(work: work) { result in
                    answer.withLock { $0 = result }
                    isDone.signal()
                })
            return true
        }
        guard isOpen else { throw closedError }
        bell.ring()
        isDone.wait()
        do { return try answer.withLock { $0 }?.get() ?? false } catch {
            throw PostgreSQLFailure.explain(error, store: name)
        }
    }

    private var closedError: BackstitchError {
        BackstitchError(.storeClosed, "\(name) was closed; open it again before using it")
    }
}

extension LockSession {
    /// The thread's loop: does the jobs, checks the connection, and waits for the next job.
    private func serve() {
        var connection: PostgreSQLConnection?
        while true {
            let (jobs, isClosed, isHolding) = state.withLock { state in
                defer { state.jobs = [] }
                return (state.jobs, state.isClosed, !state.held.isEmpty)
            }
            for job in jobs {
                if isClosed {
                    job.end(.failure(closedError))
                } else {
                    job.end(Result { try perform(job, on: &connection) })
                }
            }
            if isClosed { break }
            if jobs.isEmpty, isHolding, !isAlive(connection) { lose(&connection) }
            bell.wait(connection?.link, seconds: Self.beat)
        }
        connection?.link.close()
        pool.close()
    }

    /// Does one job. After a failure the connection is closed, because the state of its locks is unknown.
    private func perform(_ job: Job, on connection: inout PostgreSQLConnection?) throws -> Bool {
        if let old = connection, !old.link.isAlive() { lose(&connection) }
        do {
            let open = try connection ?? pool.makeConnection()
            connection = open
            return try job.work(open)
        } catch {
            // It is unknown now which locks are held.
            lose(&connection)
            throw error
        }
    }

    /// Whether the connection is good and the server answers a query.
    private func isAlive(_ connection: PostgreSQLConnection?) -> Bool {
        guard let connection, connection.link.isAlive() else { return false }
        connection.link.takeNotifications()
        return (try? connection.query(SQLStatement(.postgreSQL, "SELECT 1"))) != nil
    }

    /// Closes the connection, and reports the loss to the holders of all locks.
    private func lose(_ connection: inout PostgreSQLConnection?) {
        connection?.link.close()
        connection = nil
        let lost = state.withLock { state in
            defer { state.held = [:] }
            return Array(state.held.values)
        }
        for held in lost { held.onLoss() }
    }
}
