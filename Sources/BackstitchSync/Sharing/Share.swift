public import Backstitch
import CloudWire
public import Foundation

/// A zone shared by its owner, or a single object of a zone with everything below it, as the user of the store sees it.
///
/// ```swift
/// var share = try await sync.sharing.share(zoneNamed: "Club", title: "Our list")
/// share.participants.append(Share.Participant(emailAddress: "bob@example.org"))
/// share = try await sync.sharing.update(share)
/// send(share.url)    // Bob's program gives it to container.acceptShare(at:)
/// ```
///
/// A share of a single object has this object as its ``root``.
public struct Share: Sendable, Hashable {
    /// The rights of a participant, or of all users with the address.
    public enum Permission: String, Sendable, Hashable {
        /// The user has no rights.
        case none
        /// The user may read.
        case readOnly
        /// The user may read and change.
        case readWrite
    }

    /// The shared zone, or the zone of the shared object.
    public var zone: SyncZone
    /// The object shared in place, with everything below it (``Backstitch/PersistentContainer``'s `shareInPlace`). Nil
    /// for a share of a whole zone (``isOfZone``), and while a guest does not have the object yet.
    public let root: ObjectID?
    /// Whether the whole zone is shared, and not a single object of it.
    public var isOfZone: Bool { recordName == WireShare.zoneShareName }
    /// The name shown to invited users; nil for none.
    public var title: String?
    /// The rights of uninvited users with the address.
    public var publicPermission: Permission
    /// All participants and invited users, the owner first. To invite or remove users, add or remove entries and call
    /// ``SyncSharing/update(_:)``. A user who came with the address alone is invited in the same way, and then is
    /// one participant.
    public var participants: [Participant]
    /// The address to give to others. If ``publicPermission`` is none, only invited users can use it.
    public let url: URL
    /// The user of the store among the participants; nil if the server does not say.
    public let currentUser: Participant?
    /// The name of the share's own record.
    let recordName: String
    /// The version of the record on the server.
    let changeTag: String?
    /// The rights of users with the address when the share was read. Participants who came with the address alone still
    /// show these rights.
    private let formerPermission: Permission

    /// The owner of the zone; nil if the server does not say.
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
    /// The shared zone or object, as a phrase for messages.
    var subject: String { isOfZone ? "the zone \"\(zone.name)\"" : root.map { "\($0)" } ?? "an object" }

    /// The share with one entry for each user who came with the address and was then invited. The entry has the role
    /// and the rights of the invitation.
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

    /// Checks the share before it is sent.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for a second owner, and for special rights of a user who came
    ///   with the address alone.
    func check() throws {
        guard participants.count(where: { $0.role == .owner }) < 2 else {
            throw BackstitchError(
                .invalidRequest,
                "the share of \(subject) would have two owners; its owner cannot change")
        }
        let usual = [publicPermission, formerPermission]
        let other = participants.first { $0.role == .publicUser && !usual.contains($0.permission) }
        guard let other else { return }
        throw BackstitchError(
            .invalidRequest,
            "\(other.userRecordName ?? "a participant") joined with the address alone, and has the rights of "
                + "publicPermission; change publicPermission for all such participants, or invite this user")
    }
}

extension [Share.Participant] {
    /// Whether the user is a participant with the address alone.
    fileprivate func hasPublicUser(_ name: String?) -> Bool {
        contains { $0.role == .publicUser && $0.userRecordName == name }
    }
}

extension Share {
    /// A user who takes part in a share, or was invited to.
    public struct Participant: Sendable, Hashable {
        /// The part of a participant in the share.
        public enum Role: String, Sendable, Hashable {
            /// Owns the zone, and may do everything.
            case owner
            /// Was invited, and may invite and remove others.
            case administrator
            /// Was invited by name or address.
            case privateUser
            /// Came with the address alone.
            case publicUser
            /// A role unknown to this version.
            case unknown
        }

        /// The state of an invitation.
        public enum AcceptanceStatus: String, Sendable, Hashable {
            /// The user has not answered.
            case pending
            /// The user takes part.
            case accepted
            /// The user takes part no more.
            case removed
            /// A state unknown to this version.
            case unknown
        }

        /// Identifies the participant in the share; nil until the server has the participant.
        public let id: String?
        /// The part of the user in the share.
        public var role: Role
        /// The rights of the user.
        public var permission: Permission
        /// The state of the invitation. Only the server changes it.
        public let acceptanceStatus: AcceptanceStatus
        /// The record name of the user; nil while only an address is known.
        public let userRecordName: String?
        /// The address of the invitation. It is shown to the owner, to administrators and to the invited user.
        public let emailAddress: String?
        /// The user's name, as far as the server tells it.
        public let nameComponents: PersonNameComponents?
        /// The public key told by the user; nil for none. The keys of the zone are sealed for it. The server could give
        /// a false one: ``SyncEncryption/participantKeys(inZoneNamed:)`` says whether it is trusted.
        public internal(set) var publicKey: SharePublicKey?
        /// The short form of the public key for comparison by people: see ``SharePublicKey/fingerprint``.
        public var keyFingerprint: String? { publicKey?.fingerprint }

        /// A user to be invited by address. Anyone who signs in with this address can accept.
        public init(emailAddress: String, permission: Permission = .readWrite, role: Role = .privateUser) {
            self.init(
                id: nil, role: role, permission: permission, acceptanceStatus: .pending, userRecordName: nil,
                emailAddress: emailAddress, nameComponents: nil)
        }

        /// A user to be invited by record name.
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
