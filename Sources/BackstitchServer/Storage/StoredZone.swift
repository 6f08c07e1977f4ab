import BackstitchSupport
import CloudWire

/// A row of the table of zones.
struct StoredZone: Sendable, Hashable {
    enum State: Int, Sendable {
        case live = 0
        case deleted = 1
        case purged = 2
    }

    var tenantID: Int64
    var ownerID: Int64
    var zoneID: Int64
    var name: String
    /// Another value after deletion and recreation, or a restore, makes all older tokens invalid.
    var epoch: Int64
    /// Sequence of the last commit. Goes on when a zone is made again, so that change tags never repeat.
    var head: Int64
    /// The owner's counter at the last change.
    var ownerSequence: Int64
    var state: State
    /// The newest deletion that is forgotten: who has read less far may have missed it. 0 when none is.
    var floor: Int64 = 0
    /// The number of the newest index for queries; 0 when there was none.
    var queryIndexes: Int64 = 0
    /// Whether the zone is shared, which a commit must look after.
    var sharing: Sharing = []
    /// The rights of the caller to a zone of another user; nil for the owner.
    var access: SharedAccess?
}

extension StoredZone {
    /// Names the life of the zone, for clients: the upper half of the epoch, which only making the zone anew changes.
    var incarnation: String { String(UInt32(truncatingIfNeeded: epoch >> 32), radix: 16) }
}
