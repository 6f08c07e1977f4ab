import BackstitchSupport

/// Watches whether the machine has a network: by `NWPathMonitor` on Apple's systems, by rtnetlink on Linux; elsewhere,
/// and where a sandbox forbids it, the network is ``NetworkPath/Status/unknown``.
///
/// As the option ``Backstitch/StoreOption/syncConnectivity`` it keeps a store from trying while there is none, and has
/// it sync at once when there is one again:
///
/// ```swift
/// let container = try PersistentContainer(model: .notes, store: .init(
///     type: .sync, url: directory,
///     options: [.syncServerURL: "https://example.org", .syncConnectivity: NetworkMonitor.shared]))
/// ```
/// Code of the program can look and listen too, be it in a ``SyncConnectivity`` of its own:
///
/// ```swift
/// struct NoMobileData: SyncConnectivity {
///     let monitor = NetworkMonitor.shared
///
///     func maySync(for reason: SyncReason) async -> Bool {
///         if case .manual = reason { return true }
///         let path = await monitor.currentPath
///         return path.status != .unavailable && !path.isExpensive
///     }
///
///     var connectivityChanges: AsyncStream<Void> { monitor.connectivityChanges }
/// }
/// ```
/// Where it is wrong, sync is slower and does not end: a store goes by it as follows.
///
/// - Only ``NetworkPath/Status/unavailable`` is a no. On Linux that is the absence of any interface, other than the
///   loopback, that is up, running and has a unicast route which leads further than its own link (IPv6's link-local
///   routes lead no further).
/// - A server on the loopback (`localhost`, `127.0.0.0/8`, `::1`) is not asked about: it is there without a network.
/// - A caller who waits (``SyncController/sync(reason:)``) is let through, and gets the error of the try.
/// - In one minute of ten the store tries all the same, for servers that are reached in a way of which the system says
///   nothing.
///
/// One monitor serves any number of stores and listeners. It holds a socket and a queue only while there is a listener:
/// the last store that is closed gives them back.
public final class NetworkMonitor: Sendable {
    /// The monitor of the process.
    public static let shared = NetworkMonitor()

    private struct State: Sendable {
        /// The path that the watch has told last; nil before, and without a watch.
        var path: NetworkPath?
        var listeners: [Int: @Sendable (NetworkPath) -> Void] = [:]
        var next = 0
        var watch: (any NetworkWatch)?
        /// Counts the watches: what an earlier one still tells does not count.
        var round = 0
    }

    private let state = Locked(State())
    private let makeWatch: NetworkWatchMaker

    /// A monitor of its own; ``shared`` does for nearly all.
    public convenience init() { self.init(systemNetworkWatch) }

    /// A monitor that hears of the network by another watch than the system's.
    package init(_ makeWatch: @escaping NetworkWatchMaker) { self.makeWatch = makeWatch }

    /// The path now. While nobody else listens, that means to begin and to end a watch.
    public var currentPath: NetworkPath {
        get async {
            if let path = state.withLock({ $0.path }) { return path }
            for await path in paths { return path }
            // The task was cancelled.
            return NetworkPath(.unknown)
        }
    }

    /// The path now, and then each change of it, for each caller from its call. A listener that is 100 changes behind
    /// loses the oldest.
    public var paths: AsyncStream<NetworkPath> { stream(.bufferingNewest(100)) { $0 } }

    /// An element after each change of the path, for a ``SyncConnectivity`` that goes by this monitor.
    public var connectivityChanges: AsyncStream<Void> {
        let hasHeard = Locked(false)
        return stream(.bufferingNewest(1)) { _ in
            hasHeard.withLock { hasHeard in
                defer { hasHeard = true }
                return hasHeard ? () : nil
            }
        }
    }

    private func stream<Element: Sendable>(
        _ policy: AsyncStream<Element>.Continuation.BufferingPolicy,
        _ element: @escaping @Sendable (NetworkPath) -> Element?
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: policy)
        let number = add { path in if let element = element(path) { continuation.yield(element) } }
        // So the sequence keeps the monitor, until it ends.
        continuation.onTermination = { [self] _ in remove(number) }
        return stream
    }

    /// Adds a listener, which is told under the lock, so that all hear the same order.
    private func add(_ listener: @escaping @Sendable (NetworkPath) -> Void) -> Int {
        state.withLock { state in
            state.next += 1
            state.listeners[state.next] = listener
            if let path = state.path { listener(path) }
            if state.watch == nil {
                state.round += 1
                let round = state.round
                // It tells from a queue of its own, never from this call.
                state.watch = makeWatch { [weak self] path in self?.take(path, of: round) }
            }
            return state.next
        }
    }

    private func remove(_ number: Int) {
        let ended = state.withLock { state -> (any NetworkWatch)? in
            state.listeners[number] = nil
            guard state.listeners.isEmpty, let watch = state.watch else { return nil }
            (state.watch, state.path) = (nil, nil)
            state.round += 1
            return watch
        }
        ended?.end()
    }

    private func take(_ path: NetworkPath, of round: Int) {
        state.withLock { state in
            guard round == state.round, path != state.path else { return }
            state.path = path
            for listener in state.listeners.values { listener(path) }
        }
    }
}

extension NetworkMonitor: SyncConnectivity {
    /// Returns false while there is no network, but to callers who wait.
    public func maySync(for reason: SyncReason) async -> Bool {
        if case .manual = reason { return true }
        return await currentPath.status != .unavailable
    }
}
