import BackstitchSQL
import BackstitchSupport

/// Listens and notifies on a connection of its own. Each notification is a separate transaction, so that no writer
/// waits for it. A `NOTIFY` within a transaction would make all commits of the server wait for each other.
final class PostgreSQLNotifier: SQLNotifier {
    private struct State {
        var texts: [String] = []
        var isClosed = false
    }

    /// The seconds of silence after which the server is checked.
    private static let silence = 30.0
    /// The most texts that wait to be sent. Later ones are lost, which is allowed for texts. So a slow server cannot
    /// fill the memory here.
    private static let backlog = 1_000

    private let channel: String
    private let bell: WakePipe
    private let state = Locked(State())
    // Used only by the thread that runs it.
    nonisolated(unsafe) private let connection: PostgreSQLConnection

    /// Starts to listen on a connection, which this object owns from now on.
    init(_ connection: PostgreSQLConnection, channel: String) throws {
        self.connection = connection
        self.channel = channel
        do {
            bell = try WakePipe()
            try connection.listen(at: channel)
        } catch {
            connection.link.close()
            throw error
        }
    }

    func run(_ hear: ([String]) -> Void) throws {
        defer { connection.link.close() }
        while true {
            let (texts, isClosed) = state.withLock { state in
                defer { state.texts = [] }
                return (state.texts, state.isClosed)
            }
            if isClosed { return }
            for text in texts { try connection.notify(channel, text) }
            // Some notifications arrive with the answers to statements, and do not make the socket ready again.
            let heard = connection.link.takeNotifications()
            if !heard.isEmpty { hear(heard) }
            if texts.isEmpty, heard.isEmpty {
                let start = ContinuousClock.now
                bell.wait(connection.link, seconds: Self.silence)
                if ContinuousClock.now - start >= .seconds(Self.silence) {
                    _ = try connection.query(SQLStatement(.postgreSQL, "SELECT 1"))
                }
            }
            guard connection.link.isAlive() else { throw connection.link.lost() }
        }
    }

    func send(_ texts: [String]) {
        state.withLock { $0.texts += texts.prefix(Self.backlog - $0.texts.count) }
        bell.ring()
    }

    func close() {
        state.withLock { $0.isClosed = true }
        bell.ring()
    }
}

extension PostgreSQLConnection {
    /// Receives notifications of a channel from now on.
    func listen(at channel: String) throws {
        _ = try query(SQLStatement(.postgreSQL, "LISTEN \(SQLNames.quoted(channel))"))
    }

    /// Sends a text to all listeners of a channel.
    func notify(_ channel: String, _ text: String) throws {
        var statement = SQLStatement(.postgreSQL, "SELECT pg_notify(")
        statement.append(.text(channel))
        statement.append(", ")
        statement.append(.text(text))
        statement.append(")")
        _ = try query(statement)
    }
}
