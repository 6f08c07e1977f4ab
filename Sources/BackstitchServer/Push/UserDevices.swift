import Backstitch
import BackstitchSupport
import CloudWire
import Logging

/// The devices of a user, and the subscriptions that fired for all of them.
struct UserDevices: Sendable {
    var tokens: [PushTokenKey]
    var fired: [FiredSubscription]
}
