/// A share, in the view of a user who has its address.
package struct ResolvedShare: Sendable, Hashable {
    /// The database that has the zone for the caller.
    package enum Database: String, Sendable, Hashable {
        /// The caller's own private database.
        case `private` = "PRIVATE"
        /// The database of zones that others share with the caller.
        case shared = "SHARED"
    }

    /// The identifier of the share in its address.
    package var shortGUID: ShortGUID
    /// The identifier of the container.
    package var containerIdentifier: String
    /// The environment: `development` or `production`.
    package var environment: String
    /// The database that has the zone for the caller, after the share is accepted.
    package var databaseScope: Database
    /// The shared zone, with its owner.
    package var zoneID: ZoneID
    /// The name of the shared record; nil for a share of a whole zone.
    package var rootRecordName: String?
    /// The shared record, if the request asked for it.
    package var rootRecord: WireRecord?
    /// The record of the share.
    package var share: WireRecord
    /// The identity of the owner.
    package var ownerIdentity: WireParticipant.Identity
    /// The role that the caller has, or would have.
    package var participantType: WireParticipant.Kind
    /// Whether the caller has accepted, left, or not answered.
    package var participantStatus: WireParticipant.Status
    /// The rights that the caller has, or would have.
    package var participantPermission: SharePermission

    package init(
        shortGUID: ShortGUID, containerIdentifier: String, environment: String, databaseScope: Database,
        zoneID: ZoneID, share: WireRecord, ownerIdentity: WireParticipant.Identity,
        participantType: WireParticipant.Kind, participantStatus: WireParticipant.Status,
        participantPermission: SharePermission
    ) {
        self.shortGUID = shortGUID
        self.containerIdentifier = containerIdentifier
        self.environment = environment
        self.databaseScope = databaseScope
        self.zoneID = zoneID
        self.share = share
        self.ownerIdentity = ownerIdentity
        self.participantType = participantType
        self.participantStatus = participantStatus
        self.participantPermission = participantPermission
    }
}

extension ResolvedShare.Database: JSONWord {
    static var noun: String { "databaseScope" }
}

extension ResolvedShare: WireObject {
    static var blank: Self {
        Self(
            shortGUID: .blank, containerIdentifier: "", environment: "", databaseScope: .shared,
            zoneID: ZoneID(zoneName: ""), share: .blank, ownerIdentity: .blank, participantType: .unknown,
            participantStatus: .unknown, participantPermission: .unknown)
    }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("shortGUID", &shortGUID)
        keys.value("containerIdentifier", &containerIdentifier)
        keys.value("environment", &environment)
        keys.value("databaseScope", &databaseScope)
        keys.value("zoneID", &zoneID)
        keys.optional("rootRecordName", &rootRecordName)
        keys.optional("rootRecord", &rootRecord)
        keys.value("share", &share)
        keys.value("ownerIdentity", &ownerIdentity)
        keys.value("participantType", &participantType)
        keys.value("participantStatus", &participantStatus)
        keys.value("participantPermission", &participantPermission)
    }
}
