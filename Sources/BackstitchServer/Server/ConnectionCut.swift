import Backstitch
import Logging
import ServiceLifecycle

/// Closes the connections with requests that have not ended within the grace. Cancelling their tasks is not enough. A
/// client that reads nothing could hold a connection with TLS for ever.
struct ConnectionCut: Service {
    let registry: ConnectionRegistry
    let clock: any WallClock
    /// Seconds between the order to stop and the cut.
    let grace: Int

    func run() async throws {
        try await gracefulShutdown()
        Task {
            do { try await clock.sleep(milliseconds: Int64(grace) * 1_000) } catch { return }
            registry.closeAll()
        }
    }
}
