import Backstitch
import Logging
import ServiceLifecycle

/// Ends the long polls whose time is over.
struct PollTimes: Service {
    let hub: PushHub

    func run() async throws { await cancelWhenGracefulShutdown { await hub.keepTime() } }
}
