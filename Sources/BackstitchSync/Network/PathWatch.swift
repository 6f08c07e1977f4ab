#if canImport(Network)
import Network

/// Watches the network by `NWPathMonitor`.
final class PathWatch: NetworkWatch {
    private let task: Task<Void, Never>

    init(_ tell: @escaping @Sendable (NetworkPath) -> Void) {
        // The monitor and its sequence stop when the task is cancelled.
        task = Task { for await path in NWPathMonitor() { tell(NetworkPath(path)) } }
    }

    deinit { end() }

    func end() { task.cancel() }
}

extension NetworkPath {
    /// Converts a system path. A path that needs a connection first counts as available, because its use creates the
    /// connection (`requiresConnection`, for example a VPN on demand).
    fileprivate init(_ path: NWPath) {
        self.init(
            path.status == .unsatisfied ? .unavailable : .available, isExpensive: path.isExpensive,
            isConstrained: path.isConstrained)
    }
}
#endif
