/// How a machine's network stands, as a ``NetworkMonitor`` tells.
public struct NetworkPath: Sendable, Hashable {
    /// Whether packets can leave the machine.
    public enum Status: Sendable, Hashable {
        /// An interface is up and has a route to elsewhere. No promise that a server answers.
        case available
        /// No interface but the loopback is up and has one.
        case unavailable
        /// The system does not tell.
        case unknown
    }

    /// Whether packets can leave the machine.
    public var status: Status
    /// Whether they go over mobile data or a phone's hotspot; false where the system does not tell, as on Linux.
    public var isExpensive: Bool
    /// Whether the user has asked for little traffic (Low Data Mode); false where the system does not tell, as on
    /// Linux.
    public var isConstrained: Bool

    /// A path, which is neither expensive nor constrained unless given.
    public init(_ status: Status, isExpensive: Bool = false, isConstrained: Bool = false) {
        self.status = status
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }
}
