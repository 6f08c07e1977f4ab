import CloudWire

/// The share of a zone, beside its record: its address, the rights of strangers, and everybody who takes part.
struct StoredShare: Sendable, Hashable {
    /// Most participants of a share, the owner among them, as CloudKit has it.
    static let mostParticipants = 100

    /// The name of the share's record.
    var record: String
    var shortGUID: String
    var publicPermission: SharePermission
    /// The owner first, the others by their names.
    var participants: [StoredParticipant]

    /// The owner, whom every share has.
    var owner: StoredParticipant? { participants.first { $0.kind == .owner } }

    /// The participant whom a user is.
    func participant(of user: String) -> StoredParticipant? {
        participants.first { $0.user.map { $0.utf8.elementsEqual(user.utf8) } ?? false }
    }

    /// The rights that a participant has now.
    func permission(of participant: StoredParticipant) -> SharePermission {
        Self.permission(of: participant.kind, own: participant.permission, everybody: publicPermission)
    }

    /// The rights of a kind of participant: who came with the address has those of everybody with it.
    static func permission(
        of kind: WireParticipant.Kind, own: SharePermission, everybody: SharePermission
    ) -> SharePermission {
        kind == .publicUser ? everybody : own
    }

    /// The share without a guest.
    func without(_ user: String) -> StoredShare {
        var share = self
        share.participants.removeAll { $0.kind != .owner && $0.user?.utf8.elementsEqual(user.utf8) == true }
        return share
    }

    /// The users who have accepted, without the owner.
    var guests: [String] {
        participants.compactMap { $0.kind != .owner && $0.status == .accepted ? $0.user : nil }
    }
}

extension SharePermission {
    /// Whether it lets a participant read.
    var allowsReading: Bool { self == .readOnly || self == .readWrite }
}

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
}

/// A zone of another user, as the caller may use it.
struct SharedAccess: Sendable, Hashable {
    /// Record name of the zone's owner.
    var owner: String
    var kind: WireParticipant.Kind
    var permission: SharePermission
}

/// The entry of a zone in the database of what others share with a user.
struct StoredSharedZone: Sendable {
    var owner: String
    var name: String
    /// The counter of the user's database at the last change.
    var sequence: Int64
    /// The zone; nil when the user may not read it any more.
    var zone: StoredZone?
}

extension StoredZone {
    /// The parts of a zone's state that tell what a commit must look after.
    struct Sharing: OptionSet, Sendable, Hashable {
        let rawValue: Int64
        /// The zone has a share.
        static let shared = Sharing(rawValue: 1)
        /// Others take part, whose databases hear of changes.
        static let accepted = Sharing(rawValue: 2)
    }
}
