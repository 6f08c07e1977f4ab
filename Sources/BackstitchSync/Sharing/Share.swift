public import Backstitch
import CloudWire
public import Foundation

/// A zone that its owner shares with others, or a single object of it with all that hangs on it, as the user of the
/// store sees it.
///
/// ```swift
/// var share = try await sync.share(zoneNamed: "Club", title: "Our list")
/// share.participants.append(Share.Participant(emailAddress: "bob@example.org"))
/// share = try await sync.update(share)
/// send(share.url)    // Bob's program gives it to container.acceptShare(at:)
/// ```
///
/// A share of a single object has it as its ``root``.
public struct Share: Sendable, Hashable {
    /// The rights of a participant, or of everybody with the address.
    public enum Permission: String, Sendable, Hashable {
        /// No rights.
        case none
        /// May read.
        case readOnly
        /// May read and change.
        case readWrite
    }

    /// The zone; of a share of a single object the one that the object is in.
    public var zone: SyncZone
    /// The object that is shared where it is, with all that hangs on it (``Backstitch/PersistentContainer``'s
    /// `shareInPlace`). Nil for a share of a whole zone (``isOfZone``), and as long as a guest does not have the
    /// object.
    public let root: ObjectID?
    /// Whether the whole zone is shared, and not a single object of it.
    public var isOfZone: Bool { recordName == WireShare.zoneShareName }
    /// The name under which invited users see it; nil for none.
    public var title: String?
    /// The rights of users who have the address and were not invited.
    public var publicPermission: Permission
    /// Everybody who takes part or was invited, the owner first. To invite somebody add one, to remove somebody take
    /// one away; then call ``SyncController/update(_:)``. A user who came with the address alone is invited in the same
    /// way, and is one participant then.
    public var participants: [Participant]
    /// The address to give to others. Where ``publicPermission`` is none it is of use to those only who were invited.
    public let url: URL
    /// The user of the store among the participants; nil where the server does not say.
    public let currentUser: Participant?
    /// The name of the share's own record.
    let recordName: String
    /// The version on the server.
    let changeTag: String?
    /// The rights of users with the address when the share was read: those that came with it alone still show them.
    private let formerPermission: Permission

    /// The owner of the zone; nil where the server does not say.
    public var owner: Participant? { participants.first { $0.role == .owner } }

    init(
        zone: SyncZone, root: ObjectID?, title: String?, publicPermission: Permission, participants: [Participant],
        url: URL, currentUser: Participant?, recordName: String, changeTag: String?
    ) {
        self.zone = zone
        self.root = root
        self.recordName = recordName
        self.title = title
        (self.publicPermission, formerPermission) = (publicPermission, publicPermission)
        self.participants = participants
        self.url = url
        self.currentUser = currentUser
        self.changeTag = changeTag
    }
}

extension Share {
    /// Names for messages what is shared.
    var subject: String { isOfZone ? "the zone \"\(zone.name)\"" : root.map { "\($0)" } ?? "an object" }

    /// The share with one entry for each user who came with the address and is invited by another entry: it has the
    /// role and the rights of that.
    var withInvitedGuests: Share {
        var share = self
        share.participants = []
        for participant in participants {
            let invitation = participants.first {
                $0.id == nil && $0.userRecordName != nil && $0.userRecordName == participant.userRecordName
            }
            if participant.role == .publicUser, let invitation {
                var guest = participant
                (guest.role, guest.permission) = (invitation.role, invitation.permission)
                share.participants.append(guest)
            } else if invitation != participant || !participants.hasPublicUser(participant.userRecordName) {
                share.participants.append(participant)
            }
        }
        return share
    }

    /// - Throws: ``BackstitchError/Code/invalidRequest`` for what no server does with a share.
    func check() throws {
        guard participants.count(where: { $0.role == .owner }) < 2 else {
            throw BackstitchError(
                .invalidRequest,
                "the share of \(subject) would have two owners; it stays its owner's")
        }
        let usual = [publicPermission, formerPermission]
        let other = participants.first { $0.role == .publicUser && !usual.contains($0.permission) }
        guard let other else { return }
        throw BackstitchError(
            .invalidRequest,
            "\(other.userRecordName ?? "a participant") came with the address alone, and has the rights of publicPermission; change "
                + "that, which holds for all of them, or invite this user")
    }
}

extension [Share.Participant] {
    /// Whether a user is among those who came with the address alone.
    fileprivate func hasPublicUser(_ name: String?) -> Bool {
        contains { $0.role == .publicUser && $0.userRecordName == name }
    }
}

extension Share {
    /// A user who takes part in a share, or was invited to.
    public struct Participant: Sendable, Hashable {
        /// The part that a participant has.
        public enum Role: String, Sendable, Hashable {
            /// Owns the zone, and may do everything.
            case owner
            /// Was invited, and may invite and remove others.
            case administrator
            /// Was invited.
            case privateUser
            /// Came with the address alone.
            case publicUser
            /// Not known to this version.
            case unknown
        }

        /// How far an invitation has come.
        public enum AcceptanceStatus: String, Sendable, Hashable {
            /// The user has not answered.
            case pending
            /// The user takes part.
            case accepted
            /// The user takes part no more.
            case removed
            /// Not known to this version.
            case unknown
        }

        /// Names the participant in the share; nil before the server has it.
        public let id: String?
        /// The part that the user has.
        public var role: Role
        /// The rights.
        public var permission: Permission
        /// How far the invitation has come. The server alone changes it.
        public let acceptanceStatus: AcceptanceStatus
        /// The record name of the user; nil while only an address is known.
        public let userRecordName: String?
        /// The address to which the invitation went; shown to the owner, to administrators and to its own user.
        public let emailAddress: String?
        /// The user's name, as far as the server tells it.
        public let nameComponents: PersonNameComponents?
        /// The public key that the user has told, for which the keys of the zone are sealed; nil for none. The server
        /// could give a false one: ``SyncController/participantKeys(inZoneNamed:)`` says whether it is trusted.
        public internal(set) var publicKey: SharePublicKey?
        /// The part of it that people compare: see ``SharePublicKey/fingerprint``.
        public var keyFingerprint: String? { publicKey?.fingerprint }

        /// Somebody to be invited, by an address: whoever signs in with that address can accept.
        public init(emailAddress: String, permission: Permission = .readWrite, role: Role = .privateUser) {
            self.init(
                id: nil, role: role, permission: permission, acceptanceStatus: .pending, userRecordName: nil,
                emailAddress: emailAddress, nameComponents: nil)
        }

        /// Somebody to be invited, by the record name of the user.
        public init(userRecordName: String, permission: Permission = .readWrite, role: Role = .privateUser) {
            self.init(
                id: nil, role: role, permission: permission, acceptanceStatus: .pending,
                userRecordName: userRecordName, emailAddress: nil, nameComponents: nil)
        }

        init(
            id: String?, role: Role, permission: Permission, acceptanceStatus: AcceptanceStatus,
            userRecordName: String?, emailAddress: String?, nameComponents: PersonNameComponents?
        ) {
            self.id = id
            self.role = role
            self.permission = permission
            self.acceptanceStatus = acceptanceStatus
            self.userRecordName = userRecordName
            self.emailAddress = emailAddress
            self.nameComponents = nameComponents
        }
    }
}
