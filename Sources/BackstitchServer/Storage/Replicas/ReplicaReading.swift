import Backstitch
import BackstitchSQL
import BackstitchSupport
import Logging

/// The outcome of a read from a copy of the database.
enum ReplicaReading<Value: Sendable>: Sendable {
    /// There is no copy, or none that can be asked now.
    case none
    /// The copy has not come far enough.
    case behind
    /// The copy has failed.
    case failed
    /// The copy's answer.
    case served(Value)
}
