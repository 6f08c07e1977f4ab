import BackstitchSupport
import CloudWire

/// The caller's access to a zone of another user.
struct SharedAccess: Sendable, Hashable {
    /// The record name of the zone's owner.
    var owner: String
    var kind: WireParticipant.Kind
    /// The rights to the zone. If single records are shared, these are the best rights to any of them.
    var permission: SharePermission
    /// The shares of records through which the caller sees parts of the zone; nil if the whole zone is shared.
    var parts: [SharedPart]?
    /// The number of the caller's shared database.
    var guestID: Int64 = 0
}
