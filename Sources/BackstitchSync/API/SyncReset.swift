import Backstitch

/// An event after which a synced store and the server's data are no longer in step.
public enum SyncReset: Sendable, Hashable {
    /// Another user has signed in.
    case accountChanged(from: String, to: String)
    /// Nobody is signed in any more.
    case signedOut(from: String)
    /// The zone is gone.
    case zoneDeleted
    /// The zone is gone because the user removed the program's data from the server.
    case zonePurged
    /// The zone was deleted, and another device has made it anew.
    case zoneReset
    /// A zone that the store has beside its main one is gone, by ``SyncController/deleteZone(named:)`` of another
    /// device for instance, whether one of its name was made since or not. Has the name that the program knows.
    case furtherZoneDeleted(String)
}

extension SyncReset: CustomStringConvertible {
    /// The event, in words.
    public var description: String {
        switch self {
        case .accountChanged(let old, let new): "the user is \(new) now, and was \(old)"
        case .signedOut(let user): "\(user) has signed out"
        case .zoneDeleted: "the zone was deleted on the server"
        case .zonePurged: "the user has removed the data from the server"
        case .furtherZoneDeleted(let name): "the zone \"\(name)\" was deleted on the server"
        case .zoneReset: "the zone was deleted on the server and made anew by another device"
        }
    }
}
