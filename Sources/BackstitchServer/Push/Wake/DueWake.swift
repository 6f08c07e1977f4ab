import Backstitch
import BackstitchSupport
import CloudWire
import Logging

/// A device that must be woken, since a subscription of its user has fired.
struct DueWake: Sendable {
    var device: StoredWakeDevice
    var fired: FiredSubscription
    /// How it shows itself; nil for a subscription that has gone with its zone, or says nothing of it.
    var info: WireSubscription.NotificationInfo?
}
