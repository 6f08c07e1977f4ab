import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import CloudWire

/// The shares of single objects in a world.
struct ObjectShares {
    /// A share that the owner has made, which may have ended since.
    struct Known {
        let name: String
        let root: ObjectKey
        let shortGUID: String
        var permission: SharePermission
    }

    var known: [Known] = []
    /// Shelves that somebody has made, some of them perhaps in vain.
    var shelves: [ObjectKey] = []
    var count = 0
}
