import Backstitch
import BackstitchSupport
import Foundation

/// Asks a ``NetworkMonitor`` for one store, and sometimes permits a try although the monitor refuses. A wrong monitor
/// must not stop sync for ever.
final class NetworkGate: SyncConnectivity {
    /// The length of a round without a network, and of its last part with a permitted try, in milliseconds. That part
    /// is longer than the longest pause between two tries, so that at least one try falls in it.
    private static let round: Int64 = 600_000, open: Int64 = 60_000

    private let monitor: NetworkMonitor
    private let clock: any WallClock
    /// The uptime of the first failure; nil while there is a network.
    private let missed = Locked<Int64?>(nil)

    init(_ monitor: NetworkMonitor, clock: any WallClock) {
        self.monitor = monitor
        self.clock = clock
    }

    var connectivityChanges: AsyncStream<Void> { monitor.connectivityChanges }

    func maySync(for reason: SyncReason) async -> Bool {
        if case .manual = reason { return true }
        let hasNetwork = await monitor.currentPath.status != .unavailable
        return missed.withLock { missed in
            if hasNetwork {
                missed = nil
                return true
            }
            let now = clock.uptime()
            guard let begun = missed else {
                missed = now
                return false
            }
            return (now - begun) % Self.round >= Self.round - Self.open
        }
    }
}

extension URL {
    /// Whether the address is this machine's own, which needs no network.
    var isLoopback: Bool {
        guard let host = host?.lowercased() else { return false }
        return host.isLoopbackHost || host == "[::1]" || host.hasSuffix(".localhost")
    }
}
