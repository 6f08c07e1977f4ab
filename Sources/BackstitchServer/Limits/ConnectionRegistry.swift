import Backstitch
import BackstitchSupport
import CoreMetrics
import NIOCore

/// The connections that are open, so that no address has too many, and the last descriptor is never used up.
///
/// Half of an address's connections, and half of all, may be those of requests whose bodies still come. Where there are
/// more, one of them goes for a new connection: a client that sends slowly shuts nobody out.
final class ConnectionRegistry: Sendable {
    /// The state of a connection.
    enum Activity: Sendable {
        /// Nothing is asked.
        case idle
        /// The body of a request comes.
        case reading
        /// A request has come whole, and its answer has not ended.
        case answering
    }

    fileprivate struct Connection {
        var channel: any Channel
        var address: String
        var activity = Activity.idle
        /// Counts up; of the connections that are idle the one that has done nothing for longest has the least, and of
        /// those of slow bodies the one whose last bytes came first.
        var since: UInt64
        /// Whether the client sends nothing more.
        var isLeft = false
        /// To be told when the client goes away.
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
    ///   - total: Connections that there are room for.
    ///   - perAddress: Connections of one address.
    ///   - proxies: Connections of these are many callers', so that only the room for all bounds them.
    init(total: Int, perAddress: Int, proxies: TrustedProxies? = nil, metrics: ServerMetrics) {
        self.proxies = proxies
        self.total = total
        self.perAddress = perAddress
        self.metrics = metrics
    }

    /// How many connections are open.
    var count: Int { state.withLock { $0.connections.count } }

    /// Notes a connection. Where there is no room, the connection that has been idle for longest is closed, of the same
    /// address if that address has too many. Where none is idle and too many bodies are coming, the slowest of them is
    /// cut. A request that has come whole is never cut for another.
    ///
    /// - Returns: Whether it may stay.
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

    /// Notes that a connection is closed.
    func remove(_ channel: any Channel) {
        let gone = state.withLock { $0.remove(ObjectIdentifier(channel)) }
        if gone != nil { metrics.connections.decrement() }
        gone?.watch?()
    }

    /// Notes that the client of a connection sends nothing more.
    func noteLeft(_ channel: any Channel) {
        let watch = state.withLock { state in
            state.connections[ObjectIdentifier(channel)]?.isLeft = true
            return state.connections[ObjectIdentifier(channel)]?.watch
        }
        watch?()
    }

    /// Calls `work` when the client goes away, at once where it has gone: for a request that may wait long.
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

    /// Connections with a request that is not answered, polls that wait among them.
    var busy: Int { state.withLock { $0.busy } }

    /// Requests that ``closeAll()`` has cut.
    var cut: Int { state.withLock { $0.cut } }

    /// Closes all connections.
    func closeAll() {
        let channels = state.withLock { state in
            state.cut += state.busy
            return state.connections.values.map(\.channel)
        }
        for channel in channels { channel.close(promise: nil) }
    }

    /// Notes what the connection does now.
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

    /// The connection that goes for a new one; nil when none may.
    ///
    /// - Parameter bodies: Connections that may be those of requests whose bodies come.
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

    /// - Returns: The connection; nil when it was not there.
    fileprivate mutating func remove(_ key: ObjectIdentifier) -> ConnectionRegistry.Connection? {
        guard let gone = connections.removeValue(forKey: key) else { return nil }
        addresses[gone.address, default: 0] -= 1
        if addresses[gone.address] == 0 { addresses[gone.address] = nil }
        return gone
    }
}
