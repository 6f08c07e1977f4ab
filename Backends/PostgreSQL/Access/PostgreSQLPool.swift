import Backstitch
import BackstitchSQL
import Foundation
import Logging

/// The connections of a store. They are opened on demand, up to a limit, and kept for the next request.
///
/// Requests block their thread, which is one of the container's own. While no request runs, the server gets no
/// messages. A connection that the server has closed is noticed before it is used again.
final class PostgreSQLPool: @unchecked Sendable {  // The condition guards all fields that change.
    private let options: PostgreSQLOptions
    private let name: String
    private let admission = StatementCachePolicy()
    private let logger: Logger
    private let condition = NSCondition()

    // Last in, first out, so that unneeded connections stay unused at the other end.
    private var idle: [PostgreSQLConnection] = []
    private var openCount = 0
    /// The waiting requests, the longest waiting first. While there are any, no connection is idle.
    private var waiters: [PoolWaiter] = []
    private var isClosed = false

    /// The pauses in seconds between attempts to connect. Each is twice as long as the one before, up to the maximum.
    private static let pauses = 0.02...1.0

    init(
        _ options: PostgreSQLOptions, name: String, logger: Logger = Logger(label: "backstitch.postgresql")
    ) {
        self.logger = logger
        self.options = options
        self.name = name
    }

    /// Runs `body` with a connection. Afterwards the connection returns to the pool if it is still good.
    ///
    /// - Throws: ``BackstitchError/Code/storeClosed`` after ``close()``, ``BackstitchError/Code/storeFailure`` when all
    ///   connections are in use for too long, ``PostgreSQLFailure`` when the server cannot be reached; the error of
    ///   `body`.
    func withConnection<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        let connection = try take()
        defer { giveBack(connection) }
        return try body(connection)
    }

    /// Opens a connection outside the pool for long use. The caller closes it.
    func makeConnection() throws -> PostgreSQLConnection {
        try connect(until: Deadline(seconds: options.connectTimeout))
    }

    /// Opens a connection that listens; nil behind a pooler of transactions, because notifications do not arrive there.
    func makeNotifier(channel: String) throws -> PostgreSQLNotifier? {
        if options.usesTransactionPooling { return nil }
        return try PostgreSQLNotifier(
            makeConnection(), channel: SQLNames.shortened("backstitch_\(channel)_\(options.schema)"))
    }

    /// Waits for requests to end, and closes all connections. Later requests throw.
    ///
    /// - Returns: Whether the pool was open before.
    @discardableResult
    func close() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        let wasOpen = !isClosed
        isClosed = true
        for waiter in waiters { waiter.give(.closed) }
        waiters = []
        while openCount > idle.count { condition.wait() }
        for connection in idle { connection.link.close() }
        openCount -= idle.count
        idle = []
        return wasOpen
    }

    /// The most connections that are open at the same time.
    var limit: Int { options.poolSize }

    /// The number of open connections, and of idle ones among them.
    var counts: (open: Int, idle: Int) {
        condition.lock()
        defer { condition.unlock() }
        return (openCount, idle.count)
    }

    /// The number of requests that wait for a connection.
    var waiterCount: Int {
        condition.lock()
        defer { condition.unlock() }
        return waiters.count
    }
}

extension PostgreSQLPool {
    /// Takes a connection from the pool, or opens one. Waits if all are in use.
    private func take() throws -> PostgreSQLConnection {
        let waiter = PoolWaiter()
        switch try turn(for: waiter) ?? wait(waiter) {
        case .connection(let connection):
            if connection.link.isAlive() { return connection }
            connection.link.close()
            return try open()
        case .room: return try open()
        case .closed: throw BackstitchError(.storeClosed, "\(name) was closed; open it again before using it")
        }
    }

    /// The turn of a new request; nil if it has to wait. It is then among the waiting requests.
    private func turn(for waiter: PoolWaiter) -> PoolWaiter.Turn? {
        condition.lock()
        defer { condition.unlock() }
        if isClosed { return .closed }
        if let connection = idle.popLast() { return .connection(connection) }
        if openCount < options.poolSize {
            openCount += 1
            return .room
        }
        waiters.append(waiter)
        return nil
    }

    /// Waits for a turn, up to the limit of the option `postgresPoolTimeout`.
    private func wait(_ waiter: PoolWaiter) throws -> PoolWaiter.Turn {
        _ = waiter.wait(seconds: options.poolTimeout)
        condition.lock()
        defer { condition.unlock() }
        // A turn at the last moment still counts.
        if let turn = waiter.turn { return turn }
        waiters.removeAll { $0 === waiter }
        throw BackstitchError(
            .storeFailure,
            "all \(options.poolSize) connections to \(name) were in use for \(options.poolTimeout) s; raise postgresPoolSize or "
                + "postgresPoolTimeout, or hold transactions for a shorter time")
    }

    /// Opens a connection after the right to it was reserved.
    private func open() throws -> PostgreSQLConnection {
        do { return try connectPatiently() } catch {
            condition.lock()
            passOn(nil)
            condition.unlock()
            throw error
        }
    }

    /// Takes a connection back, or closes it if it cannot be used again.
    private func giveBack(_ connection: PostgreSQLConnection) {
        connection.forgetFailure()
        condition.lock()
        let isKept = connection.isReusable && !isClosed
        passOn(isKept ? connection : nil)
        condition.unlock()
        if !isKept { connection.link.close() }
    }

    /// Gives a connection, or the right to open one, to the request that has waited longest. Call it under the lock.
    private func passOn(_ connection: PostgreSQLConnection?) {
        if waiters.isEmpty {
            if let connection { idle.append(connection) } else { openCount -= 1 }
        } else {
            waiters.removeFirst().give(connection.map { .connection($0) } ?? .room)
        }
        // A call that closes the pool waits for this signal.
        condition.broadcast()
    }

    /// Connects, and repeats this after a pause while the server starts or has too many connections.
    private func connectPatiently() throws -> PostgreSQLConnection {
        let deadline = Deadline(seconds: options.connectTimeout)
        var pause = Self.pauses.lowerBound
        while true {
            do { return try connect(until: deadline) } catch let failure as PostgreSQLFailure where failure.mayPass {
                guard let left = deadline.seconds, left > pause else { throw failure }
                if pause == Self.pauses.lowerBound {
                    logger.warning("\(name) cannot be reached; the store tries again: \(failure)")
                }
                Thread.sleep(forTimeInterval: pause)
                pause = min(pause * 2, Self.pauses.upperBound)
            }
        }
    }

    /// Opens a connection with the settings of the options.
    private func connect(until deadline: Deadline) throws -> PostgreSQLConnection {
        let settings = SessionSettings(
            schema: options.schema, statementTimeout: options.statementTimeout,
            isPerTransaction: options.usesTransactionPooling, preparesStatements: options.preparesStatements,
            isReadOnly: options.isReadOnly)
        do {
            return try PostgreSQLConnection(
                options.address, settings: settings, admission: admission, until: deadline)
        } catch let failure as PostgreSQLFailure where failure.isDisconnection {
            // It broke before it was complete, so there is no connection.
            throw PostgreSQLFailure(.unreachable, state: failure.state, failure.message)
        }
    }
}
