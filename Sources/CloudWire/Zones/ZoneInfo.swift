/// A server's description of a zone.
package struct ZoneInfo: Sendable, Hashable {
    /// The reason for a zone's deletion (an extension of this project).
    package enum DeletedReason: String, Sendable, Hashable {
        /// An app deleted the zone.
        case deleted = "DELETED"
        /// The user removed the app's data. Do not upload it again without the user's consent.
        case purged = "PURGED"
    }

    /// The zone that is described.
    package var zoneID: ZoneID
    /// The zone's current token. It is only information, not the end of a client's read.
    package var syncToken: String?
    /// Whether the zone supports requests that are applied completely or not at all.
    package var atomic: Bool?
    /// True if the zone was deleted.
    package var deleted: Bool?
    /// Extension: the reason for the deletion.
    package var deletedReason: DeletedReason?
    /// Extension: identifies this life of the zone. A zone with the same name, made after a deletion of this one, has
    /// another value.
    package var incarnation: String?

    package init(
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
