import BackstitchSupport
import CloudWire

/// A row of the table of zones. A deleted zone keeps its row.
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
    /// A number in every token of this zone. It changes if the zone is deleted and made again, or restored, and so
    /// makes all older tokens invalid.
    var epoch: Int64
    /// The sequence of the last commit. It goes on rising when a zone is made again, so change tags never repeat.
    var head: Int64
    /// The owner's counter at the last change of the zone.
    var ownerSequence: Int64
    var state: State
    /// The sequence of the newest forgotten deletion; 0 if none was forgotten. A token below it may have missed a
    /// deletion.
    var floor: Int64 = 0
    /// The number of the newest index for queries; 0 if there never was one.
    var queryIndexes: Int64 = 0
    /// The sharing of the zone. A commit must do more work for a shared zone.
    var sharing: Sharing = []
    /// The caller's rights in a zone of another user; nil for the owner.
    var access: SharedAccess?
}

extension StoredZone {
    /// The name of the zone's current life, for clients. It is the upper half of the epoch, and changes only if the
    /// zone is made again.
    var incarnation: String { String(UInt32(truncatingIfNeeded: epoch >> 32), radix: 16) }
}
