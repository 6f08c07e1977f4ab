import BackstitchSupport
import CloudWire

/// A subscription, with the user who owns it.
struct StoredSubscription: Sendable, Hashable {
    var user: String
    var subscription: WireSubscription
}
