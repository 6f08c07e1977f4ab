import BackstitchSQL
import BackstitchSupport

/// The link from a server to the others of its storage: the news for them, and the state told to its own devices.
final class PeerServers: Sendable {
    private struct State {
        var notifier: (any SQLNotifier)?
        var users: Set<String> = []
    }

    let watch = SubscriptionWatch()
    /// Yields when there is news to tell, possibly once for many things.
    let signals: AsyncStream<Void>

    /// The number of this server among those of its storage.
    let server: Int64
    private let signal: AsyncStream<Void>.Continuation
    private let state = Locked(State())

    /// - Parameter server: The number of this server among the others.
    init(server: Int64) {
        self.server = server
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether there is a connection for news from others.
    var isConnected: Bool { state.withLock { $0.notifier != nil } }

    /// Queues news for the other servers: something of these users has changed. Call it after the commit, never within.
    /// Without a connection nothing is queued. The others look by themselves, and when there is a connection again.
    func tell(_ users: Set<String>) {
        if users.isEmpty { return }
        let mustSend = state.withLock { state in
            if state.notifier != nil { state.users.formUnion(users) }
            return state.notifier != nil
        }
        if mustSend { signal.yield() }
    }

    /// Uses a connection from now on.
    ///
    /// - Parameter isLater: Whether there was no connection for a while. The others may have missed changes then, so
    ///   they are told to look.
    func connect(_ notifier: any SQLNotifier, isLater: Bool) {
        if isLater { notifier.send(PeerMessage(server: server, users: nil).texts) }
        state.withLock { $0.notifier = notifier }
    }

    /// Gives up the connection, and drops the queued news.
    func disconnect() {
        state.withLock { state in
            state.notifier = nil
            state.users = []
        }
    }

    /// Sends the queued news to the other servers.
    func flush() {
        let (notifier, users) = state.withLock { state in
            defer { state.users = [] }
            return (state.notifier, state.users)
        }
        if !users.isEmpty { notifier?.send(PeerMessage(server: server, users: users).texts) }
    }

    /// The users named by others; nil for all. This server's own messages are left out.
    func users(in texts: [String]) -> Set<String>? {
        var users: Set<String> = []
        for message in texts.compactMap(PeerMessage.init) where message.server != server {
            guard let named = message.users else { return nil }
            users.formUnion(named)
        }
        return users
    }
}
