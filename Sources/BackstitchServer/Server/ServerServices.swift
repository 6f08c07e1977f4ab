import Backstitch
import Logging
import ServiceLifecycle

/// Answers waiting long polls when the server stops, so that their connections can close.
struct PollDrain: Service {
    let hub: PushHub

    func run() async throws {
        try await gracefulShutdown()
        hub.drain()
    }
}

/// Ends the long polls whose time is over.
struct PollTimes: Service {
    let hub: PushHub

    func run() async throws { await cancelWhenGracefulShutdown { await hub.keepTime() } }
}

/// Closes the connections whose requests have not ended within the grace. Cancelling their tasks is not enough: a
/// client that reads nothing may hold a connection with TLS for ever.
struct ConnectionCut: Service {
    let registry: ConnectionRegistry
    let clock: any WallClock
    /// Seconds.
    let grace: Int

    func run() async throws {
        try await gracefulShutdown()
        Task {
            do { try await clock.sleep(milliseconds: Int64(grace) * 1_000) } catch { return }
            registry.closeAll()
        }
    }
}

/// Removes what has become too old, once a minute.
struct Housekeeping: Service {
    private static let interval: Int64 = 60_000

    let service: ZoneService

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await service.clock.sleep(milliseconds: Self.interval)
                    try await service.cleanUp()
                } catch is CancellationError {
                    return
                } catch {
                    service.configuration.logger.error("cleaning up failed, will be tried again: \(error)")
                }
            }
        }
    }
}
