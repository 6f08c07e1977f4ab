import Backstitch
import Logging
import ServiceLifecycle

/// Ends long polls when their time is over.
struct PollTimes: Service {
    let hub: PushHub

    func run() async throws { await cancelWhenGracefulShutdown { await hub.keepTime() } }
}
