import BackstitchSupport
import CloudWire

/// A zone of another user, as the caller may use it.
struct SharedAccess: Sendable, Hashable {
    /// Record name of the zone's owner.
    var owner: String
    var kind: WireParticipant.Kind
    /// The rights to the zone; where records are shared, the best of those to any of them.
    var permission: SharePermission
    /// The shares of records by which the caller sees parts of the zone; nil where all of it is shared.
    var parts: [SharedPart]?
    /// The number of the caller's database.
    var guestID: Int64 = 0
}
