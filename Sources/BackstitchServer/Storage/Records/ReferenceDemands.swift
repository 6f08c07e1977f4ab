import BackstitchSupport
import CloudWire

/// The references with VALIDATE that forbid the deletion of their target.
enum ReferenceDemands: Sendable {
    case all
    /// Only references from records made by the maker of the target.
    case ofMaker
}
