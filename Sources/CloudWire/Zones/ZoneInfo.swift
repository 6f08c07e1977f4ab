/// A server's account of a zone.
public struct ZoneInfo: Sendable, Hashable {
    /// Why a zone is gone (an extension of this project).
    public enum DeletedReason: String, Sendable, Hashable {
        /// An app deleted the zone.
        case deleted = "DELETED"
        /// The user removed the app's data; do not upload it again without asking.
        case purged = "PURGED"
    }

    /// The zone.
    public var zoneID: ZoneID
    /// The zone's current token: information only, not a point up to which a client has read.
    public var syncToken: String?
    /// Whether the zone can apply requests all or nothing.
    public var atomic: Bool?
    /// True when the zone is gone.
    public var deleted: Bool?
    /// Extension: why the zone is gone.
    public var deletedReason: DeletedReason?
    /// Extension: names this life of the zone. A zone of the same name that is made after this one was deleted has
    /// another.
    public var incarnation: String?

    /// An account with all its parts.
    public init(
        zoneID: ZoneID, syncToken: String? = nil, atomic: Bool? = nil, deleted: Bool? = nil,
        deletedReason: DeletedReason? = nil, incarnation: String? = nil
    ) {
        self.zoneID = zoneID
        self.syncToken = syncToken
        self.atomic = atomic
        self.deleted = deleted
        self.deletedReason = deletedReason
        self.incarnation = incarnation
    }
}
