import Backstitch
import BackstitchSupport
import Foundation

/// Asks a ``NetworkMonitor`` for one store, and lets the store try now and then although the monitor says no: a monitor
/// that is wrong must not stop sync for ever.
final class NetworkGate: SyncConnectivity {
    /// Milliseconds of each round in which there is no network, and of the end of it in which the store tries. Longer
    /// than the longest pause between two tries, so that one falls in it.
    private static let round: Int64 = 600_000, open: Int64 = 60_000

    private let monitor: NetworkMonitor
    private let clock: any WallClock
    /// The uptime at which the network was first missed; nil while there is one.
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
