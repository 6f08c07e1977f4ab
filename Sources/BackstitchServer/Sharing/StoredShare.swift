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
