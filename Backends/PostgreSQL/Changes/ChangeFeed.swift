import Backstitch
import BackstitchSQL
import Foundation
import Logging

/// Tells a store what others did to its database, from a thread and a connection of its own.
///
/// After the commit of a save the store has the feed notify the other processes, outside any transaction: a `NOTIFY`
/// inside one would make all commits of the server wait for each other. A notification says only that there are
/// changes; the changes are read from history. Notifications that get lost are made up for by looking from time to
/// time.
final class ChangeFeed: Sendable {
    private let pool: PostgreSQLPool
    let own = OwnTransactions()
    private let interval: Double
    private let channel: String
    private let listens: Bool
    private let handler: @Sendable (StoreChanges) -> Void
    private let bell: Bell
    private let logger = Logger(label: "backstitch.postgresql")
    private let state: Locked<State>

    private struct State {
        /// The last transaction that was told of.
        var number: Int64
        var isClosed = false
        var mustNotify = false
    }

    /// Starts telling of what comes after the transaction `number`.
    init(
        _ pool: PostgreSQLPool, _ options: PostgreSQLOptions, after number: Int64,
        handler: @escaping @Sendable (StoreChanges) -> Void
    ) throws {
        self.pool = pool
        self.handler = handler
        interval = options.pollInterval
        channel = SQLNames.shortened("backstitch_\(options.schema)")
        listens = !options.usesTransactionPooling
        bell = try Bell()
        state = Locked(State(number: number))
        let thread = Thread { [self] in run() }
        thread.name = "backstitch changes"
        thread.start()
    }

    /// Has the others notified of a commit, soon.
    func announce() {
        state.withLock { $0.mustNotify = true }
        bell.ring()
    }

    /// Ends the thread; it lets go of everything by itself.
    func close() {
        state.withLock { $0.isClosed = true }
        bell.ring()
    }
}

extension ChangeFeed {
    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func run() {
        while !isClosed {
            do {
                let connection = try pool.makeConnection()
                defer { connection.link.close() }
                try serve(connection)
            } catch {
                if isClosed { return }
                logger.debug("the feed of changes lost its connection: \(error)")
                bell.wait(nil, seconds: min(interval, 1))
            }
        }
    }

    private func serve(_ connection: PostgreSQLConnection) throws {
        if listens { _ = try connection.query(SQLStatement(.postgreSQL, "LISTEN \(SQLNames.quoted(channel))")) }
        while !isClosed {
            try tell(connection)
            try notify(connection)
            bell.wait(connection.link, seconds: interval)
            guard connection.link.isAlive() else { throw PostgreSQLFailure(.lost, "the server closed the connection") }
            connection.link.dropNotifications()
        }
    }

    private func tell(_ connection: PostgreSQLConnection) throws {
        let number = state.withLock { $0.number }
        let reader = HistoryReader(connection)
        let last = try reader.lastNumber()
        guard last > number else { return }
        let changes = try reader.changes(after: number, through: last, except: own.tokens)
        state.withLock { $0.number = last }
        own.forget(through: last)
        if !changes.isEmpty { handler(changes) }
    }

    private func notify(_ connection: PostgreSQLConnection) throws {
        let mustNotify = state.withLock { state in
            defer { state.mustNotify = false }
            return state.mustNotify
        }
        guard mustNotify else { return }
        var statement = SQLStatement(.postgreSQL, "SELECT pg_notify(")
        statement.append(.text(channel))
        statement.append(", '')")
        do { _ = try connection.query(statement) } catch {
            state.withLock { $0.mustNotify = true }
            throw error
        }
        // Commits that come close together are told of together.
        Thread.sleep(forTimeInterval: 0.02)
    }
}
