import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation

/// The connection on which a store holds its locks: one of its own, since the server takes them away with it.
///
/// A thread has it, which notices at once when it breaks, and asks the server now and then whether it is still there.
final class LockSession: Sendable {
    private struct Job {
        let work: @Sendable (PostgreSQLConnection) throws -> Bool
        let end: @Sendable (Result<Bool, any Error>) -> Void
    }

    private struct Held {
        let key: Int64
        let mode: StoreLockMode
        let onLoss: @Sendable () -> Void
    }

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
    private let bell: Bell
    private let state = Locked(State())

    /// Seconds after which the server is asked whether it is still there.
    private static let beat = 5.0

    init(_ options: PostgreSQLOptions, name: String) throws {
        // A process waits for a lock, or for the news of its loss, for seconds.
        var hasty = options
        hasty.statementTimeout = Self.beat
        pool = PostgreSQLPool(hasty, name: name)
        schema = options.schema
        self.name = name
        bell = try Bell()
        let thread = Thread { [self] in serve() }
        thread.name = "backstitch locks"
        thread.start()
    }

    /// A lock of that name on the store.
    func lock(_ name: String, onLoss: @escaping @Sendable () -> Void) -> PostgreSQLLock {
        let number = state.withLock { state in
            state.locks += 1
            return state.locks
        }
        let key =
            Int64(PostgreSQLOpener.number(of: "backstitch \(name)")) << 32 | Int64(PostgreSQLOpener.number(of: schema))
        return PostgreSQLLock(self, number: number, key: key, onLoss: onLoss)
    }

    /// Ends the thread, and with the connection all locks; nobody is told.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.held = [:]
        }
        bell.ring()
    }
}

extension LockSession {
    /// Takes a lock, or another mode of it.
    func take(_ mode: StoreLockMode, _ number: Int, key: Int64, onLoss: @escaping @Sendable () -> Void) throws -> Bool {
        try run { [self] connection in
            let (before, isFree) = state.withLock { state in
                let others = state.held.filter { $0.key != number && $0.value.key == key }
                // The server takes all of a session for one.
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

    /// Lets others have a lock.
    func release(_ number: Int) {
        guard let held = state.withLock({ $0.held[number] }) else { return }
        do {
            _ = try run { [self] connection in
                guard state.withLock({ $0.held.removeValue(forKey: number) }) != nil else { return false }
                return try ask("pg_advisory_unlock", held.mode, held.key, connection)
            }
        } catch {
            // Where the server cannot be asked it has ended the session, and the lock with it.
            state.withLock { $0.held[number] = nil }
        }
    }

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

    /// Has the thread do something with the connection, and waits for it.
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

    private func perform(_ job: Job, on connection: inout PostgreSQLConnection?) throws -> Bool {
        if let old = connection, !old.link.isAlive() { lose(&connection) }
        do {
            let open = try connection ?? pool.makeConnection()
            connection = open
            return try job.work(open)
        } catch {
            // Nobody can say which locks are held now.
            lose(&connection)
            throw error
        }
    }

    private func isAlive(_ connection: PostgreSQLConnection?) -> Bool {
        guard let connection, connection.link.isAlive() else { return false }
        connection.link.takeNotifications()
        return (try? connection.query(SQLStatement(.postgreSQL, "SELECT 1"))) != nil
    }

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
