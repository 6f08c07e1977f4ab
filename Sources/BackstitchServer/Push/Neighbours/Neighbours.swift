import BackstitchSQL
import BackstitchSupport

/// A server and the others that share its storage: the news for them, and the state its own devices were told of.
final class Neighbours: Sendable {
    private struct State {
        var notifier: (any SQLNotifier)?
        var users: Set<String> = []
    }

    let watch = SubscriptionWatch()
    /// Comes when there is something to tell; once for many things.
    let signals: AsyncStream<Void>

    private let server: Int64
    private let signal: AsyncStream<Void>.Continuation
    private let state = Locked(State())

    /// - Parameter server: Names this server among the others.
    init(server: Int64) {
        self.server = server
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether there is a connection by which others are heard.
    var isConnected: Bool { state.withLock { $0.notifier != nil } }

    /// Has the others told, soon, that something of these users has changed. Told after the commit, never within. While
    /// there is no connection nobody is told; the others look when there is one again, and by themselves.
    func tell(_ users: Set<String>) {
        if users.isEmpty { return }
        let mustSend = state.withLock { state in
            if state.notifier != nil { state.users.formUnion(users) }
            return state.notifier != nil
        }
        if mustSend { signal.yield() }
    }

    /// Takes a connection.
    ///
    /// - Parameter isLater: Whether there was none for a while, so that others may not know of changes: then they look
    ///   for themselves.
    func connect(_ notifier: any SQLNotifier, isLater: Bool) {
        if isLater { notifier.send(NeighbourMessage(server: server, users: nil).texts) }
        state.withLock { $0.notifier = notifier }
    }

    /// Gives up the connection.
    func disconnect() {
        state.withLock { state in
            state.notifier = nil
            state.users = []
        }
    }

    /// Sends what has gathered.
    func flush() {
        let (notifier, users) = state.withLock { state in
            defer { state.users = [] }
            return (state.notifier, state.users)
        }
        if !users.isEmpty { notifier?.send(NeighbourMessage(server: server, users: users).texts) }
    }

    /// The users of whom others have told; nil for all. What this server has sent itself is left out.
    func users(in texts: [String]) -> Set<String>? {
        var users: Set<String> = []
        for message in texts.compactMap(NeighbourMessage.init) where message.server != server {
            guard let named = message.users else { return nil }
            users.formUnion(named)
        }
        return users
    }
}
