import BackstitchSupport
import CloudWire

/// A row of the table of participants: one user, or one invitation, in a share.
struct StoredParticipant: Sendable, Hashable {
    var id: String
    /// The user's record name; nil if only the address of the invitation is known.
    var user: String?
    /// The address of the invitation; nil if the user was invited by record name.
    var emailAddress: String?
    var kind: WireParticipant.Kind
    var status: WireParticipant.Status
    var permission: SharePermission
    /// The user's name at the time of joining.
    var names = UserNameComponents()
    /// The user sees the records of the share from this sequence of the zone on.
    var since: Int64 = 0
    /// The participant's public key as base64; nil if none was given.
    var publicKey: String?
}
