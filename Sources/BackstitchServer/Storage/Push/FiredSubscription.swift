import BackstitchSupport
import CloudWire

/// A subscription that fires for a commit.
struct FiredSubscription: Sendable, Hashable {
    var user: String
    var subscriptionID: String
    /// The name of its zone; nil for a subscription to the whole database.
    var zone: String?
    /// The changed record, if this is a query subscription.
    var record: RecordFiring?
    /// The number of this firing, counted from 1 over all servers; nil if firings of this kind are not counted.
    var ordinal: Int64?
    /// The content of the notification, if this is a query subscription. It is kept here because the subscription may
    /// have ended by firing.
    var info: WireSubscription.NotificationInfo?
}
