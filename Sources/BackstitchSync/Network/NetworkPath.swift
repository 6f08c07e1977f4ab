/// The state of a machine's network, as a ``NetworkMonitor`` reports it.
public struct NetworkPath: Sendable, Hashable {
    /// Whether packets can leave the machine.
    public enum Status: Sendable, Hashable {
        /// An interface is up and has a route to elsewhere. This does not promise that a server answers.
        case available
        /// No interface except the loopback is up with such a route.
        case unavailable
        /// The system does not report it.
        case unknown
    }

    /// Whether packets can leave the machine.
    public var status: Status
    /// Whether they use mobile data or a phone's hotspot; false if the system does not report it, as on Linux.
    public var isExpensive: Bool
    /// Whether the user has asked for little traffic (Low Data Mode); false if the system does not report it, as on
    /// Linux.
    public var isConstrained: Bool

    /// Creates a path; it is neither expensive nor constrained unless given.
    public init(_ status: Status, isExpensive: Bool = false, isConstrained: Bool = false) {
        self.status = status
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }
}
