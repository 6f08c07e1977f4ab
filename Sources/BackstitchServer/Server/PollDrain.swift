import Backstitch
import Logging
import ServiceLifecycle

/// Answers waiting long polls when the server stops, so their connections can close.
struct PollDrain: Service {
    let hub: PushHub

    func run() async throws {
        try await gracefulShutdown()
        hub.drain()
    }
}
