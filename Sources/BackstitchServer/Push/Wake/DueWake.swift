import Backstitch
import BackstitchSupport
import CloudWire
import Logging

/// A device to wake, since a subscription of its user has fired.
struct DueWake: Sendable {
    var device: StoredWakeDevice
    var fired: FiredSubscription
    /// The presentation of the push; nil for a subscription removed with its zone, or without a presentation.
    var info: WireSubscription.NotificationInfo?
}
