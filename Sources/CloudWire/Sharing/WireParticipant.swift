/// A user who takes part in a share, or was invited to.
public struct WireParticipant: Sendable, Hashable {
    /// The part that a participant has.
    public enum Kind: String, Sendable, Hashable {
        /// The owner of the zone.
        case owner = "OWNER"
        /// One who may invite and remove others.
        case administrator = "ADMINISTRATOR"
        /// One who was invited.
        case user = "USER"
        /// One who came with the address alone.
        case publicUser = "PUBLIC_USER"
        /// Not known.
        case unknown = "UNKNOWN"
    }

    /// How far an invitation has come.
    public enum Status: String, Sendable, Hashable {
        /// The user has not answered.
        case invited = "INVITED"
        /// The user takes part.
        case accepted = "ACCEPTED"
        /// The user takes part no more.
        case removed = "REMOVED"
        /// Not known.
        case unknown = "UNKNOWN"
    }

    /// Names the participant in its share; made by the server.
    public var participantID: String?
    /// The user.
    public var userIdentity: Identity
    /// The part that the user has.
    public var type: Kind
    /// How far the invitation has come. A server takes no notice of what a request says.
    public var acceptanceStatus: Status
    /// The rights.
    public var permission: SharePermission
    /// Extension: base64 of the public key for which devices seal the keys of a shared zone; nil where the participant
    /// has told none. A server takes no notice of what a request to change the share says: see ``ShortGUID``.
    public var publicKey: String?

    /// A participant.
    public init(
        _ userIdentity: Identity, type: Kind = .user, permission: SharePermission = .readWrite,
        acceptanceStatus: Status = .invited, participantID: String? = nil
    ) {
        self.userIdentity = userIdentity
        self.type = type
        self.permission = permission
        self.acceptanceStatus = acceptanceStatus
        self.participantID = participantID
    }
}

extension WireParticipant {
    /// A user as a share knows it: perhaps only the address to which the invitation went.
    public struct Identity: Sendable, Hashable {
        /// Record name of the user; nil while only an address is known.
        public var userRecordName: String?
        /// The user's name, as far as it is told.
        public var nameComponents: UserNameComponents
        /// By what the user was invited; nil where it is not told.
        public var lookupInfo: UserLookupInfo?

        /// A user.
        public init(
            userRecordName: String? = nil, nameComponents: UserNameComponents = UserNameComponents(),
            lookupInfo: UserLookupInfo? = nil
        ) {
            self.userRecordName = userRecordName
            self.nameComponents = nameComponents
            self.lookupInfo = lookupInfo
        }
    }
}

extension WireParticipant.Identity: WireObject {
    static var blank: Self { Self() }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.optional("userRecordName", &userRecordName)
        keys.value("nameComponents", &nameComponents)
        keys.optional("lookupInfo", &lookupInfo)
    }
}

extension WireParticipant: WireObject {
    static var blank: Self { Self(Identity()) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.optional("participantId", &participantID)
        keys.value("userIdentity", &userIdentity)
        keys.value("type", &type)
        keys.value("acceptanceStatus", &acceptanceStatus)
        keys.value("permission", &permission)
        keys.optional("publicKey", &publicKey)
    }
}

extension WireParticipant.Kind: JSONWord {
    static var noun: String { "participant type" }
}

extension WireParticipant.Status: JSONWord {
    static var noun: String { "acceptanceStatus" }
}
