import Backstitch
import BackstitchServer
import BackstitchSync
import CloudWire

/// The share of a world's zone: the rights that it gives to others, and those who take part.
struct Sharing {
    /// The rights of all guests, and how often they have changed: a request that sees the same before and after was
    /// judged by them.
    struct Rights: Equatable {
        var permission = SharePermission.readWrite
        var changes = 0
        /// Whether a change of them is under way.
        var isChanging = false
        /// Whether nobody but the owner may change anything.
        var areNone: Bool { permission == .readOnly && !isChanging }
    }

    var rights = Rights()
    /// Names the share.
    var shortGUID = ""
    /// The record name of the zone's owner.
    var owner: String?
    /// The guests who take part.
    var joined: Set<String> = []
    /// Where single objects are shared, and not the zone, their shares.
    var objects = ObjectShares()
}
