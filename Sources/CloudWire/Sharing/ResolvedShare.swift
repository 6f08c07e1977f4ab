/// A share as a user sees it who has its address.
public struct ResolvedShare: Sendable, Hashable {
    /// The database in which the caller finds the zone.
    public enum Database: String, Sendable, Hashable {
        /// The caller's own.
        case `private` = "PRIVATE"
        /// That of the zones that others share with the caller.
        case shared = "SHARED"
    }

    /// Names the share.
    public var shortGUID: ShortGUID
    /// The container.
    public var containerIdentifier: String
    /// `development` or `production`.
    public var environment: String
    /// Where the caller finds the zone once the share is accepted.
    public var databaseScope: Database
    /// The zone, with its owner.
    public var zoneID: ZoneID
    /// The name of the record that is shared; nil for a share of a whole zone.
    public var rootRecordName: String?
    /// That record, where the request asked for it.
    public var rootRecord: WireRecord?
    /// The share.
    public var share: WireRecord
    /// The owner.
    public var ownerIdentity: WireParticipant.Identity
    /// The part that the caller has, or would have.
    public var participantType: WireParticipant.Kind
    /// Whether the caller takes part.
    public var participantStatus: WireParticipant.Status
    /// The rights that the caller has, or would have.
    public var participantPermission: SharePermission

    /// A share, with all its parts.
    public init(
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
