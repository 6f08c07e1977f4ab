import BackstitchSupport
import CloudWire

/// A subscription of a device, with what it was told last.
struct StoredHint: Sendable {
    var subscription: WireSubscription
    /// The number of the kind of database, as notifications have it.
    var scope: Int
    /// Of a query subscription, what it was told last of all.
    var last: RecordFiring?
}
