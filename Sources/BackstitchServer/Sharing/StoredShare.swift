import BackstitchSupport
import CloudWire

/// A share of a zone or of a record, beside its own record: its address, the rights of strangers, and everybody who
/// takes part.
struct StoredShare: Sendable, Hashable {
    /// Most participants of a share, the owner among them, as CloudKit has it.
    static let mostParticipants = 100
    /// Most shares of records in a zone.
    static let mostInZone = 1_000
    /// Most shares of records of one zone that one user takes part in: a page of changes looks at each.
    static let mostOfGuest = 100

    /// The name of the share's record.
    var record: String
    var shortGUID: String
    var publicPermission: SharePermission
    /// The owner first, the others by their names.
    var participants: [StoredParticipant]
    /// The name of the record that is shared; nil for a share of the whole zone.
    var root: String?
    /// Names the share in the log of what its participants see; 0 for a share of the whole zone, and for one that is
    /// not written yet.
    var number: Int64 = 0

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

    /// Those of them who may read.
    var readers: Set<ByteText> {
        Set(
            participants.lazy.filter { participant in
                participant.kind != .owner && participant.status == .accepted
                    && self.permission(of: participant).allowsReading
            }.compactMap { $0.user.map({ ByteText($0) }) })
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
    /// The sequence of the zone from which on the user sees what a share of a record shows.
    var since: Int64 = 0
    /// Base64 of the public key that the participant has told; nil for none.
    var publicKey: String?
}

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

/// A share of a record, as one who takes part may use it.
struct SharedPart: Sendable, Hashable {
    var number: Int64
    /// The names of the share's record and of the record that is shared.
    var share: String
    var root: String
    /// The last sequence at which anything changed of what the share shows.
    var head: Int64
    /// The sequence from which on the user takes part.
    var since: Int64
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
        /// Records of the zone are shared, and not the zone.
        static let records = Sharing(rawValue: 4)
    }

    /// The zone as its owner sees it.
    var whole: StoredZone {
        var zone = self
        zone.access = nil
        return zone
    }
}
