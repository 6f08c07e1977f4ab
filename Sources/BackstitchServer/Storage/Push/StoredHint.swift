import BackstitchSupport
import CloudWire

/// A subscription of a device, with its last notification.
struct StoredHint: Sendable {
    var subscription: WireSubscription
    /// The number of the kind of database, as in notifications.
    var scope: Int
    /// The record of the last firing, if this is a query subscription.
    var last: RecordFiring?
}
