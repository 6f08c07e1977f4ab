import BackstitchSupport
import CloudWire

/// A reference that has consequences when its target goes.
struct StoredReference: Sendable, Hashable {
    var source: String
    var target: String
    var action: WireReference.Action
}
