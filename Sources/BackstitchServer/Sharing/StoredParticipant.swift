import BackstitchSupport
import CloudWire

/// A row of the table of participants.
struct StoredParticipant: Sendable, Hashable {
    var id: String
    /// The user's record name; nil while only the address of the invitation is known.
    var user: String?
    /// The address to which the invitation went.
    var emailAddress: String?
    var kind: WireParticipant.Kind
    var status: WireParticipant.Status
    var permission: SharePermission
    /// The user's name, as it was when the user came.
    var names = UserNameComponents()
    /// The sequence of the zone from which on the user sees what a share of a record shows.
    var since: Int64 = 0
    /// Base64 of the public key that the participant has told; nil for none.
    var publicKey: String?
}
