import Backstitch
import BackstitchServer
import BackstitchSync
import CloudWire

/// The share of a world's zone: its rights, and its participants.
struct Sharing {
    /// The rights of all guests, and the number of changes to them. If both are equal before and after a request, the
    /// request was judged by these rights.
    struct Rights: Equatable {
        var permission = SharePermission.readWrite
        var changes = 0
        /// Whether the rights are changing now.
        var isChanging = false
        /// Whether only the owner may change anything.
        var areNone: Bool { permission == .readOnly && !isChanging }
    }

    var rights = Rights()
    /// The identifier of the share.
    var shortGUID = ""
    /// The record name of the zone's owner.
    var owner: String?
    /// The guests who take part.
    var joined: Set<String> = []
    /// The shares of single objects, in worlds that do not share the zone.
    var objects = ObjectShares()
}
