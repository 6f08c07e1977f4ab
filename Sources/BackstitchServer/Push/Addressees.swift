import Backstitch
import BackstitchSupport
import CloudWire
import Logging

/// The devices and users to notify of changes in a database.
struct Addressees: Sendable {
    var ownerID: Int64
    /// The users whose subscriptions fired, even users without another device.
    var users: Set<String> = []
    var devices: [UserDevices] = []
    /// The devices with apps that may not run.
    var wakes: [DueWake] = []
}
