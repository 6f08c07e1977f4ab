import Backstitch
import BackstitchSQL
import BackstitchSupport
import Logging

/// The outcome of a read from a replica.
enum ReplicaReading<Value: Sendable>: Sendable {
    /// There is no replica, or none is usable now.
    case none
    /// The replica is not yet far enough.
    case behind
    /// The replica failed, and is not used for a while.
    case failed
    /// The replica answered with this value.
    case served(Value)
}
