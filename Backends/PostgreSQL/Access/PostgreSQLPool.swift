import Backstitch
import BackstitchSQL
import Foundation
import Logging

/// The connections of a store: made when they are asked for, up to a limit, and kept for the next request.
///
/// Requests block their thread, which is one of the container's own. Nothing is asked of the server while no request
/// runs; a connection that the server has closed meanwhile is noticed before it is given out.
final class PostgreSQLPool: @unchecked Sendable {  // The condition guards all fields that change.
    private let options: PostgreSQLOptions
    private let name: String
    private let admission = StatementCachePolicy()
    private let logger: Logger
    private let condition = NSCondition()

    // Last in, first out: those that are not needed grow old at the other end.
    private var idle: [PostgreSQLConnection] = []
    private var openCount = 0
    /// Those who wait, the longest first. While there are any, no connection is idle.
    private var waiters: [PoolWaiter] = []
    private var isClosed = false

    /// How long the pauses between attempts to connect are: each twice the one before, up to the last.
    private static let pauses = 0.02...1.0

    init(
        _ options: PostgreSQLOptions, name: String, logger: Logger = Logger(label: "backstitch.postgresql")
    ) {
        self.logger = logger
        self.options = options
        self.name = name
    }

    /// Runs `body` with a connection, which goes back afterwards if it is still good.
    ///
    /// - Throws: ``BackstitchError/Code/storeClosed`` after ``close()``, ``BackstitchError/Code/storeFailure`` when all
    ///   connections are in use for too long, ``PostgreSQLFailure`` when the server cannot be reached; what `body`
    ///   throws.
    func withConnection<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        let connection = try take()
        defer { giveBack(connection) }
        return try body(connection)
    }

    /// A connection that is not one of the pool's, for those who keep it: the caller closes it.
    func makeConnection() throws -> PostgreSQLConnection {
        try connect(until: Deadline(seconds: options.connectTimeout))
    }

    /// A connection that listens; nil behind a pooler through which nothing is heard.
    func makeNotifier(channel: String) throws -> PostgreSQLNotifier? {
        if options.usesTransactionPooling { return nil }
        return try PostgreSQLNotifier(
            makeConnection(), channel: SQLNames.shortened("backstitch_\(channel)_\(options.schema)"))
    }

    /// Waits for requests to end, and closes all connections. Later requests throw.
    ///
    /// - Returns: Whether it was open before.
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

    /// How many connections are opened at most.
    var limit: Int { options.poolSize }

    /// How many connections are open, and how many of them are idle.
    var counts: (open: Int, idle: Int) {
        condition.lock()
        defer { condition.unlock() }
        return (openCount, idle.count)
    }

    /// How many requests wait for a connection.
    var waiterCount: Int {
        condition.lock()
        defer { condition.unlock() }
        return waiters.count
    }
}

extension PostgreSQLPool {
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

    /// The turn of a request that comes; nil for one that has to wait, which is among the waiters then.
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

    private func wait(_ waiter: PoolWaiter) throws -> PoolWaiter.Turn {
        _ = waiter.wait(seconds: options.poolTimeout)
        condition.lock()
        defer { condition.unlock() }
        // Given at the last moment, it counts.
        if let turn = waiter.turn { return turn }
        waiters.removeAll { $0 === waiter }
        throw BackstitchError(
            .storeFailure,
            "all \(options.poolSize) connections to \(name) were in use for \(options.poolTimeout) s; raise postgresPoolSize or "
                + "postgresPoolTimeout, or hold transactions for a shorter time")
    }

    /// Opens a connection for which there is room.
    private func open() throws -> PostgreSQLConnection {
        do { return try connectPatiently() } catch {
            condition.lock()
            passOn(nil)
            condition.unlock()
            throw error
        }
    }

    private func giveBack(_ connection: PostgreSQLConnection) {
        connection.forgetFailure()
        condition.lock()
        let isKept = connection.isReusable && !isClosed
        passOn(isKept ? connection : nil)
        condition.unlock()
        if !isKept { connection.link.close() }
    }

    /// Gives a connection, or the room of one that is gone, to the first who waits. Under the lock.
    private func passOn(_ connection: PostgreSQLConnection?) {
        if waiters.isEmpty {
            if let connection { idle.append(connection) } else { openCount -= 1 }
        } else {
            waiters.removeFirst().give(connection.map { .connection($0) } ?? .room)
        }
        // Those who close the pool wait for it.
        condition.broadcast()
    }

    /// Connects, and again after a pause while the server starts or has too many visitors.
    private func connectPatiently() throws -> PostgreSQLConnection {
        let deadline = Deadline(seconds: options.connectTimeout)
        var pause = Self.pauses.lowerBound
        while true {
            do { return try connect(until: deadline) } catch let failure as PostgreSQLFailure where failure.mayPass {
                guard let left = deadline.seconds, left > pause else { throw failure }
                if pause == Self.pauses.lowerBound {
                    logger.warning("\(name) cannot be reached, and is tried again: \(failure)")
                }
                Thread.sleep(forTimeInterval: pause)
                pause = min(pause * 2, Self.pauses.upperBound)
            }
        }
    }

    private func connect(until deadline: Deadline) throws -> PostgreSQLConnection {
        let settings = SessionSettings(
            schema: options.schema, statementTimeout: options.statementTimeout,
            isPerTransaction: options.usesTransactionPooling, preparesStatements: options.preparesStatements,
            isReadOnly: options.isReadOnly)
        do {
            return try PostgreSQLConnection(
                options.address, settings: settings, admission: admission, until: deadline)
        } catch let failure as PostgreSQLFailure where failure.isDisconnection {
            // It broke before it was ours: there is none.
            throw PostgreSQLFailure(.unreachable, state: failure.state, failure.message)
        }
    }
}
