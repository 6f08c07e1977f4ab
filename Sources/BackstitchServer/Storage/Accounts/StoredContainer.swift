import BackstitchSupport
import CloudWire

/// A row of the table of containers.
struct StoredContainer: Sendable, Hashable {
    var name: String
    var label: String
    var created: Int64
}
