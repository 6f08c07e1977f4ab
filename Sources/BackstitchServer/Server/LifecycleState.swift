import Backstitch
import BackstitchSupport
import Foundation
import HummingbirdCore
import ServiceLifecycle

/// Where a server is in its life.
struct LifecycleState {
    var hasStarted = false
    /// The address, once it listens.
    var url: URL?
    /// The address of the administration, while it listens.
    var administrationURL: URL?
    /// The parts that run, to be told to stop.
    var group: ServiceGroup?
    /// Asked to stop, perhaps before there was anything to stop.
    var isStopping = false
    /// While a server that stops goes on for load balancers.
    var drainWait: Task<Void, Never>?
    /// The socket at which it listened was closed, though nobody asked it to stop.
    var hasLostListener = false
    /// The run that `start()` began.
    var task: Task<Void, any Error>?
    var service: ZoneService?
    var connections: ConnectionRegistry?
    var isEndReported = false
    /// The requests that ran when it began to end.
    var end: EndReport?
}
