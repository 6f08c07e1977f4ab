import BackstitchSupport
import CloudWire

/// The references with VALIDATE that forbid a deletion.
enum ReferenceDemands: Sendable {
    case all
    /// Those from records of the user who made the target.
    case ofMaker
}
