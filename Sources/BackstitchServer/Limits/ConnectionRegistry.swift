import Backstitch
import BackstitchSupport
import CoreMetrics
import NIOCore

/// The open connections. It keeps an address from having too many, and the last descriptor from being used up.
///
/// Requests with unfinished bodies may take half of an address's connections, and half of all. Beyond that, one of them
/// is closed for a new connection. So a slow client shuts no other out.
final class ConnectionRegistry: Sendable {
    /// The state of a connection.
    enum Activity: Sendable {
        /// No request is open.
        case idle
        /// The body of a request is arriving.
        case reading
        /// A request was fully received, and its answer has not ended.
        case answering
    }

    fileprivate struct Connection {
        var channel: any Channel
        var address: String
        var activity = Activity.idle
        /// The counter's value at the last activity. Among idle connections, the one idle for longest has the least
        /// value. Among unfinished bodies, the one with the oldest last bytes has it.
        var since: UInt64
        /// Whether the client sends nothing more.
        var isLeft = false
        /// Called when the client goes away.
        var watch: (@Sendable () -> Void)?
    }

    fileprivate struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var addresses: [String: Int] = [:]
        var counter: UInt64 = 0
        var cut = 0
    }

    private let total: Int
    private let perAddress: Int
    private let proxies: TrustedProxies?
    private let metrics: ServerMetrics
    private let state = Locked(State())

    /// - Parameters:
    ///   - total: Most connections of all addresses together.
    ///   - perAddress: Most connections of one address.
    ///   - proxies: Their connections serve many callers, so only `total` limits them.
    init(total: Int, perAddress: Int, proxies: TrustedProxies? = nil, metrics: ServerMetrics) {
        self.proxies = proxies
        self.total = total
        self.perAddress = perAddress
        self.metrics = metrics
    }

    /// The number of open connections.
    var count: Int { state.withLock { $0.connections.count } }

    /// Admits a connection. If there is no room, the connection idle for longest is closed. It is one of the same
    /// address if that address has too many. If none is idle and too many bodies are arriving, the slowest of them is
    /// cut. A fully received request is never cut for another.
    ///
    /// - Returns: Whether the connection may stay.
    func admit(_ channel: any Channel) -> Bool {
        let machine = channel.remoteAddress.flatMap(MachineAddress.init), address = machine?.network ?? ""
        let isProxy = machine.map { proxies?.contains($0) ?? false } ?? false
        let (isIn, victim) = state.withLock { state -> (Bool, (any Channel)?) in
            var victim: (key: ObjectIdentifier, value: Connection)?
            if !isProxy, state.addresses[address, default: 0] >= perAddress {
                victim = state.victim(bodies: perAddress / 2) { $0.address == address }
                if victim == nil { return (false, nil) }
            } else if state.connections.count >= total {
                victim = state.victim(bodies: total / 2) { _ in true }
                if victim == nil { return (false, nil) }
            }
            if let victim { _ = state.remove(victim.key) }
            state.counter += 1
            state.connections[ObjectIdentifier(channel)] = Connection(
                channel: channel, address: address, since: state.counter)
            state.addresses[address, default: 0] += 1
            return (true, victim?.value.channel)
        }
        if !isIn { metrics.connectionsRefused.increment() } else if victim == nil { metrics.connections.increment() }
        victim?.close(promise: nil)
        return isIn
    }

    /// Removes a closed connection, and tells its watch.
    func remove(_ channel: any Channel) {
        let gone = state.withLock { $0.remove(ObjectIdentifier(channel)) }
        if gone != nil { metrics.connections.decrement() }
        gone?.watch?()
    }

    /// Notes that the client of a connection sends nothing more, and tells its watch.
    func noteLeft(_ channel: any Channel) {
        let watch = state.withLock { state in
            state.connections[ObjectIdentifier(channel)]?.isLeft = true
            return state.connections[ObjectIdentifier(channel)]?.watch
        }
        watch?()
    }

    /// Calls `work` when the client goes away, or at once if it has gone already. It is meant for a request with a long
    /// wait.
    func watch(_ channel: any Channel, _ work: @escaping @Sendable () -> Void) {
        let isHere = state.withLock { state in
            state.connections[ObjectIdentifier(channel)]?.watch = work
            return state.connections[ObjectIdentifier(channel)]?.isLeft == false
        }
        if !isHere { work() }
    }

    /// Ends the watch of a connection.
    func forgetWatch(of channel: any Channel) {
        state.withLock { $0.connections[ObjectIdentifier(channel)]?.watch = nil }
    }

    /// The number of connections with an unanswered request. Waiting polls are among them.
    var busy: Int { state.withLock { $0.busy } }

    /// The number of requests cut by ``closeAll()``.
    var cut: Int { state.withLock { $0.cut } }

    /// Closes all connections, and counts their unanswered requests as cut.
    func closeAll() {
        let channels = state.withLock { state in
            state.cut += state.busy
            return state.connections.values.map(\.channel)
        }
        for channel in channels { channel.close(promise: nil) }
    }

    /// Notes the current activity of a connection.
    func note(_ channel: any Channel, _ activity: Activity) {
        state.withLock { state in
            state.counter += 1
            state.connections[ObjectIdentifier(channel)]?.activity = activity
            state.connections[ObjectIdentifier(channel)]?.since = state.counter
        }
    }
}

extension ConnectionRegistry.State {
    fileprivate var busy: Int { connections.values.count { $0.activity != .idle } }

    /// The connection to close for a new one; nil if none may be closed.
    ///
    /// - Parameter bodies: Most connections with unfinished bodies.
    fileprivate func victim(
        bodies: Int, _ isMeant: (ConnectionRegistry.Connection) -> Bool
    ) -> (key: ObjectIdentifier, value: ConnectionRegistry.Connection)? {
        func first(_ activity: ConnectionRegistry.Activity) -> (
            count: Int, first: (key: ObjectIdentifier, value: ConnectionRegistry.Connection)?
        ) {
            let found = connections.filter { $0.value.activity == activity && isMeant($0.value) }
            return (found.count, found.min { $0.value.since < $1.value.since })
        }
        if let idle = first(.idle).first { return idle }
        let reading = first(.reading)
        return reading.count > bodies ? reading.first : nil
    }

    /// Removes a connection from the counts.
    ///
    /// - Returns: The connection; nil if it was not registered.
    fileprivate mutating func remove(_ key: ObjectIdentifier) -> ConnectionRegistry.Connection? {
        guard let gone = connections.removeValue(forKey: key) else { return nil }
        addresses[gone.address, default: 0] -= 1
        if addresses[gone.address] == 0 { addresses[gone.address] = nil }
        return gone
    }
}
