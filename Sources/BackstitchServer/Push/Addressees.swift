import Backstitch
import BackstitchSupport
import CloudWire
import Logging

/// The devices and users that must hear of changes in a database.
struct Addressees: Sendable {
    var ownerID: Int64
    /// The users whose subscriptions fired, those too who have no other device.
    var users: Set<String> = []
    var devices: [UserDevices] = []
    /// The devices whose apps may not run.
    var wakes: [DueWake] = []
}
