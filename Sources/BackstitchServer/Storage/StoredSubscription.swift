import BackstitchSupport
import CloudWire

/// A subscription of a user.
struct StoredSubscription: Sendable, Hashable {
    var user: String
    var subscription: WireSubscription
}
