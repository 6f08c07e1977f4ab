import Backstitch

/// An event that separates a synced store from the server's data.
public enum SyncReset: Sendable, Hashable {
    /// Another user has signed in.
    case accountChanged(from: String, to: String)
    /// The user has signed out, and there is no other one.
    case signedOut(from: String)
    /// The zone was deleted on the server.
    case zoneDeleted
    /// The zone is gone because the user removed the program's data from the server.
    case zonePurged
    /// The zone was deleted, and another device has created it again.
    case zoneReset
    /// A further zone was deleted, for example by ``SyncZones/delete(named:)`` of another device. It may have
    /// been created again since. The value is the zone's name in the program.
    case furtherZoneDeleted(String)
}

extension SyncReset: CustomStringConvertible {
    /// The event in words.
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
