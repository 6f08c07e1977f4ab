#if canImport(Network)
import Network

/// Watches by `NWPathMonitor`.
final class PathWatch: NetworkWatch {
    private let task: Task<Void, Never>

    init(_ tell: @escaping @Sendable (NetworkPath) -> Void) {
        // The monitor stops when the task is cancelled, and with it the sequence.
        task = Task { for await path in NWPathMonitor() { tell(NetworkPath(path)) } }
    }

    deinit { end() }

    func end() { task.cancel() }
}

extension NetworkPath {
    /// A path that needs a connection first (`requiresConnection`, as a VPN on demand does) has it when it is used.
    fileprivate init(_ path: NWPath) {
        self.init(
            path.status == .unsatisfied ? .unavailable : .available, isExpensive: path.isExpensive,
            isConstrained: path.isConstrained)
    }
}
#endif
