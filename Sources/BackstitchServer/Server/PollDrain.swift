import Backstitch
import Logging
import ServiceLifecycle

/// Tells the staged news when the server stops, for half of the grace at most. Then it answers waiting long polls, so
/// their connections can close.
struct PollDrain: Service {
    let service: ZoneService

    func run() async throws {
        try await gracefulShutdown()
        let grace = Int64(service.context.configuration.shutdownGrace) * 1_000
        if await !service.context.push.stage.settle(within: grace / 2, service.context.clock) {
            service.context.configuration.logger.warning("polls end before devices were told of all changes")
        }
        service.context.push.hub.drain()
    }
}
