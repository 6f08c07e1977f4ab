import Logging
import ServiceLifecycle

/// Tells of the commits of the last requests, before apps are woken for the last time.
struct PushDrain: Service {
    let stage: PushStage

    func run() async throws {
        try await gracefulShutdown()
        await stage.settle()
    }
}
