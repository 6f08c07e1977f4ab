import BackstitchSupport
import CloudWire

/// A share of a zone or of a record, without its own record: address, public permission and participants.
struct StoredShare: Sendable, Hashable {
    /// The maximum number of participants, including the owner, as in CloudKit.
    static let mostParticipants = 100
    /// The maximum number of shares of records in a zone.
    static let mostInZone = 1_000
    /// The maximum number of shares of records of one zone that a user takes part in. A page of changes reads each of
    /// them.
    static let mostOfGuest = 100

    /// The name of the share's own record.
    var record: String
    var shortGUID: String
    var publicPermission: SharePermission
    /// The participants: first the owner, then the others in the order of their ids.
    var participants: [StoredParticipant]
    /// The name of the shared record; nil for a share of the whole zone.
    var root: String?
    /// The number of the share in the log of visible records. It is 0 for a share of the whole zone, and before the
    /// first write.
    var number: Int64 = 0

    /// The owner. Every share has one.
    var owner: StoredParticipant? { participants.first { $0.kind == .owner } }

    /// The participant that is this user.
    func participant(of user: String) -> StoredParticipant? {
        participants.first { $0.user.map { $0.utf8.elementsEqual(user.utf8) } ?? false }
    }

    /// The present rights of a participant.
    func permission(of participant: StoredParticipant) -> SharePermission {
        Self.permission(of: participant.kind, own: participant.permission, everybody: publicPermission)
    }

    /// The rights of a kind of participant. A public user has the public permission.
    static func permission(
        of kind: WireParticipant.Kind, own: SharePermission, everybody: SharePermission
    ) -> SharePermission {
        kind == .publicUser ? everybody : own
    }

    /// The share without this guest.
    func without(_ user: String) -> StoredShare {
        var share = self
        share.participants.removeAll { $0.kind != .owner && $0.user?.utf8.elementsEqual(user.utf8) == true }
        return share
    }

    /// The users who have accepted, without the owner.
    var guests: [String] {
        participants.compactMap { $0.kind != .owner && $0.status == .accepted ? $0.user : nil }
    }

    /// The guests who may read.
    var readers: Set<ByteText> {
        Set(
            participants.lazy.filter { participant in
                participant.kind != .owner && participant.status == .accepted
                    && self.permission(of: participant).allowsReading
            }.compactMap { $0.user.map({ ByteText($0) }) })
    }
}

extension SharePermission {
    /// Whether it allows a participant to read.
    var allowsReading: Bool { self == .readOnly || self == .readWrite }
}

extension StoredZone {
    /// The kinds of sharing in a zone, as a hint for each commit.
    struct Sharing: OptionSet, Sendable, Hashable {
        let rawValue: Int64
        /// The zone has at least one share.
        static let shared = Sharing(rawValue: 1)
        /// The zone has guests, whose databases must count its changes.
        static let accepted = Sharing(rawValue: 2)
        /// Single records of the zone are shared, and not the whole zone.
        static let records = Sharing(rawValue: 4)
    }

    /// The zone in the view of its owner.
    var whole: StoredZone {
        var zone = self
        zone.access = nil
        return zone
    }
}
