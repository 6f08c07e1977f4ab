import Backstitch
import Logging
import ServiceLifecycle

/// Removes outdated things from the storage, once a minute.
struct Housekeeping: Service {
    private static let interval: Int64 = 60_000

    let service: ZoneService

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await service.context.clock.sleep(milliseconds: Self.interval)
                    try await CleanUp(service).run()
                } catch is CancellationError {
                    return
                } catch {
                    service.context.configuration.logger.error("cleaning up failed, will be tried again: \(error)")
                }
            }
        }
    }
}
