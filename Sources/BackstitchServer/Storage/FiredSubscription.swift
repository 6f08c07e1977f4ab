import BackstitchSupport
import CloudWire

/// A subscription that fires for a commit.
struct FiredSubscription: Sendable, Hashable {
    var user: String
    var subscriptionID: String
    /// Its zone; nil for a subscription to the whole database.
    var zone: String?
    /// The news, of a query subscription.
    var record: RecordFiring?
    /// Its place among the firings of its subscription at all servers, from 1; nil where that is not counted.
    var ordinal: Int64?
    /// How a query subscription shows itself, which may have ended by firing.
    var info: WireSubscription.NotificationInfo?
}
