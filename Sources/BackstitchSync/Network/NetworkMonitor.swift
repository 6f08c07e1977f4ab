import BackstitchSupport

/// Watches whether the machine has a network: by `NWPathMonitor` on Apple's systems, by rtnetlink on Linux. On other
/// systems, or if a sandbox forbids it, the network is ``NetworkPath/Status/unknown``.
///
/// With the option ``Backstitch/StoreOption/syncConnectivity`` a store does not try without a network, and syncs at
/// once when there is one again:
///
/// ```swift
/// let container = try PersistentContainer(model: .notes, store: .init(
///     type: .sync, url: directory,
///     options: [.syncServerURL: "https://example.org", .syncConnectivity: NetworkMonitor.shared]))
/// ```
/// The program's code can also read it and listen, for example in its own ``SyncConnectivity``:
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
/// If the monitor is wrong, sync becomes slower but does not stop. A store uses it as follows.
///
/// - Only ``NetworkPath/Status/unavailable`` is a refusal. On Linux it means that no interface except the loopback is
///   up, running and has a unicast route beyond its own link. IPv6's link-local routes do not lead beyond it.
/// - A server on the loopback (`localhost`, `127.0.0.0/8`, `::1`) needs no network, so the monitor is not asked.
/// - A waiting caller (``SyncController/sync(reason:)``) is always permitted, and gets the error of the try.
/// - In one minute of ten the store tries in any case, because the system may not know every way to the server.
///
/// One monitor serves any number of stores and listeners. It holds a socket and a queue only while there is a listener:
/// they are released when the last store is closed.
public final class NetworkMonitor: Sendable {
    /// The shared monitor of the process.
    public static let shared = NetworkMonitor()

    private struct State: Sendable {
        /// The last path from the watch; nil before it, and without a watch.
        var path: NetworkPath?
        var listeners: [Int: @Sendable (NetworkPath) -> Void] = [:]
        var next = 0
        var watch: (any NetworkWatch)?
        /// The number of the watch: reports of earlier ones are ignored.
        var round = 0
    }

    private let state = Locked(State())
    private let makeWatch: NetworkWatchMaker

    /// Creates a separate monitor; ``shared`` is enough for nearly all programs.
    public convenience init() { self.init(systemNetworkWatch) }

    /// Creates a monitor with another watch than the system's.
    package init(_ makeWatch: @escaping NetworkWatchMaker) { self.makeWatch = makeWatch }

    /// The present path. Without other listeners, this begins and ends a watch.
    public var currentPath: NetworkPath {
        get async {
            if let path = state.withLock({ $0.path }) { return path }
            for await path in paths { return path }
            // The task was cancelled.
            return NetworkPath(.unknown)
        }
    }

    /// The present path, and then each change of it, for each caller from its call. A listener that is 100 changes
    /// behind loses the oldest.
    public var paths: AsyncStream<NetworkPath> { stream(.bufferingNewest(100)) { $0 } }

    /// Has an element after each change of the path, for a ``SyncConnectivity`` that uses this monitor.
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
        // The sequence keeps the monitor alive until it ends.
        continuation.onTermination = { [self] _ in remove(number) }
        return stream
    }

    /// Adds a listener. It is called under the lock, so that all listeners receive the same order.
    private func add(_ listener: @escaping @Sendable (NetworkPath) -> Void) -> Int {
        state.withLock { state in
            state.next += 1
            state.listeners[state.next] = listener
            if let path = state.path { listener(path) }
            if state.watch == nil {
                state.round += 1
                let round = state.round
                // The watch reports from its own queue, never from this call.
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
    /// Returns false while there is no network, except to callers who wait.
    public func maySync(for reason: SyncReason) async -> Bool {
        if case .manual = reason { return true }
        return await currentPath.status != .unavailable
    }
}
