import Backstitch
import BackstitchSupport
import Foundation
import HummingbirdCore
import ServiceLifecycle

/// The stage of a server in its life.
struct LifecycleState {
    var hasStarted = false
    /// The address of the server, once it listens.
    var url: URL?
    /// The address of the administration, while it listens.
    var administrationURL: URL?
    /// The running parts of the server, to be told to stop.
    var group: ServiceGroup?
    /// Whether a stop was requested, perhaps before anything ran.
    var isStopping = false
    /// The wait for load balancers during a stop.
    var drainWait: Task<Void, Never>?
    /// Whether the listening socket was closed without a request to stop.
    var hasLostListener = false
    /// The run begun by `start()`.
    var task: Task<Void, any Error>?
    var service: ZoneService?
    var connections: ConnectionRegistry?
    var isEndReported = false
    /// The report about the end, made when it began.
    var end: EndReport?
}
