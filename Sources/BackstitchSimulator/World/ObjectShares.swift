import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import CloudWire

/// The shares of single objects in a world.
struct ObjectShares {
    /// A share made by the owner, which may have ended since.
    struct Known {
        let name: String
        let root: ObjectKey
        let shortGUID: String
        var permission: SharePermission
    }

    var known: [Known] = []
    /// The shelves made so far. Some of them may not have been saved.
    var shelves: [ObjectKey] = []
    var count = 0
}
