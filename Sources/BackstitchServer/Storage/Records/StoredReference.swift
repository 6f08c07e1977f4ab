import BackstitchSupport
import CloudWire

/// A reference with an action, so deleting its target has consequences.
struct StoredReference: Sendable, Hashable {
    var source: String
    var target: String
    var action: WireReference.Action
}
