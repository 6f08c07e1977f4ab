import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation
import Logging

/// Notices changes by others to a store's database, through a connection of its own.
///
/// After the commit of a save, the feed notifies the other processes outside any transaction. A `NOTIFY` inside one
/// would make all commits of the server wait for each other. A notification says only that there are changes. If one
/// gets lost, the next regular look finds them.
final class PostgreSQLChangeSource: ChangeSource {
    private let pool: PostgreSQLPool
    private let interval: Double
    private let channel: String
    private let listens: Bool
    private let bell: WakePipe
    private let logger = Logger(label: "backstitch.postgresql")
    private let mustNotify = Locked(false)
    // Used only by the feed's thread.
    nonisolated(unsafe) private var connection: PostgreSQLConnection?
    /// The seconds before another connection is made: none before the first. Used only by the feed's thread.
    nonisolated(unsafe) private var pause = 0.0

    init(_ pool: PostgreSQLPool, _ options: PostgreSQLOptions) throws {
        self.pool = pool
        interval = options.pollInterval
        channel = SQLNames.shortened("backstitch_\(options.schema)")
        listens = !options.usesTransactionPooling
        bell = try WakePipe()
    }

    /// Waits for a notification, a call of ``wake()``, or the end of the interval. Without a connection it waits for
    /// the pause.
    func wait() {
        if let connection {
            bell.wait(connection.link, seconds: interval)
            if connection.link.isAlive() {
                connection.link.takeNotifications()
                return
            }
            letGo()
            note(PostgreSQLFailure(.lost, "the server closed the connection"))
        }
        bell.wait(nil, seconds: pause)
    }

    func wake() { bell.ring() }

    /// Requests a notification. The feed's thread sends it with its next read.
    func announce() {
        mustNotify.withLock { $0 = true }
        bell.ring()
    }

    /// Reads, and then notifies others about this store's own transactions.
    func read<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result {
        do {
            let connection = try connection ?? connect()
            let result = try body(connection)
            try notify(connection)
            return result
        } catch {
            letGo()
            throw error
        }
    }

    func note(_ error: any Error) { logger.debug("the feed of changes lost its connection: \(error)") }

    /// Closes the connection. The next read opens another, after a pause of at most one second.
    func letGo() {
        connection?.link.close()
        connection = nil
        pause = min(interval, 1)
    }

    private func connect() throws -> PostgreSQLConnection {
        let made = try pool.makeConnection()
        connection = made
        if listens { try made.listen(at: channel) }
        return made
    }

    /// Sends a notification if this store has committed since the last one.
    private func notify(_ connection: PostgreSQLConnection) throws {
        let mustNotify = mustNotify.withLock { mustNotify in
            defer { mustNotify = false }
            return mustNotify
        }
        guard mustNotify else { return }
        do { try connection.notify(channel, "") } catch {
            self.mustNotify.withLock { $0 = true }
            throw error
        }
        // Commits in quick succession are reported together.
        Thread.sleep(forTimeInterval: 0.02)
    }
}
