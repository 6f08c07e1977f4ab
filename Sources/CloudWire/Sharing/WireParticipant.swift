/// A user who takes part in a share, or was invited to it.
package struct WireParticipant: Sendable, Hashable {
    /// The role of a participant.
    package enum Kind: String, Sendable, Hashable {
        /// The owner of the shared zone.
        case owner = "OWNER"
        /// A participant with the right to invite and remove others.
        case administrator = "ADMINISTRATOR"
        /// A participant who was invited.
        case user = "USER"
        /// A participant who joined with only the address.
        case publicUser = "PUBLIC_USER"
        /// The role is not known.
        case unknown = "UNKNOWN"
    }

    /// The state of an invitation.
    package enum Status: String, Sendable, Hashable {
        /// The user has not answered yet.
        case invited = "INVITED"
        /// The user has accepted, and takes part.
        case accepted = "ACCEPTED"
        /// The user no longer takes part.
        case removed = "REMOVED"
        /// The state is not known.
        case unknown = "UNKNOWN"
    }

    /// Identifies the participant in its share. The server makes it.
    package var participantID: String?
    /// The identity of the user.
    package var userIdentity: Identity
    /// The role of the user.
    package var type: Kind
    /// The state of the invitation. A server ignores the value in a request.
    package var acceptanceStatus: Status
    /// The rights of the user in the share.
    package var permission: SharePermission
    /// Extension: base64 of the participant's public key; nil if the participant has not set one. Devices seal the keys
    /// of a shared zone for it. A server ignores it in a request to change the share: see ``ShortGUID``.
    package var publicKey: String?

    package init(
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
    /// A user in a share. Perhaps only the address of the invitation is known.
    package struct Identity: Sendable, Hashable {
        /// The record name of the user; nil if only an address is known.
        package var userRecordName: String?
        /// The user's name, or its disclosed parts.
        package var nameComponents: UserNameComponents
        /// The address or number of the invitation; nil if it is not disclosed.
        package var lookupInfo: UserLookupInfo?

        package init(
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
