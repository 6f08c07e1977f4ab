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

/// One element of an answer about zones: what the zone is, or why there is none.
public enum ZoneResult: Sendable, Hashable {
    /// The zone, perhaps deleted.
    case zone(ZoneInfo)
    /// The operation failed.
    case error(ZoneError)
}

/// Why the operation on one zone failed.
public struct ZoneError: Error, Sendable, Hashable {
    /// The zone; nil when the server named none.
    public var zoneID: ZoneID?
    /// The error.
    public var error: WireError

    /// An error about a zone.
    public init(zoneID: ZoneID?, error: WireError) {
        self.zoneID = zoneID
        self.error = error
    }
}

extension ZoneError: WireEncodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.optional("zoneID", zoneID)
        error.writeKeys(to: &writer)
        writer.endObject()
    }
}

extension ZoneResult: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .error(let error): error.write(to: &writer)
        case .zone(let zone):
            writer.beginObject()
            writer.key("zoneID")
            zone.zoneID.write(to: &writer)
            writer.optionalString("syncToken", zone.syncToken)
            writer.optionalBool("atomic", zone.atomic)
            writer.optionalBool("deleted", zone.deleted)
            writer.optionalString("deletedReason", zone.deletedReason?.rawValue)
            writer.optionalString("incarnation", zone.incarnation)
            writer.endObject()
        }
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> ZoneResult {
        var zoneID: ZoneID?
        var zone = ZoneInfo(zoneID: ZoneID(zoneName: ""))
        var keys = ErrorKeys()
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "zoneID": zoneID = try reader.readOrNull(ZoneID.self)
            case "syncToken": zone.syncToken = try reader.readStringOrNull()
            case "atomic": zone.atomic = try reader.readBoolOrNull()
            case "deleted": zone.deleted = try reader.readBoolOrNull()
            case "deletedReason":
                zone.deletedReason = try reader.readStringOrNull().flatMap(ZoneInfo.DeletedReason.init)
            case "incarnation": zone.incarnation = try reader.readStringOrNull()
            default: if try !keys.read(key, from: &reader) { try reader.skip() }
            }
        }
        if let error = keys.error { return .error(ZoneError(zoneID: zoneID, error: error)) }
        guard let zoneID else { throw reader.wrongValue("a zone needs a zoneID") }
        zone.zoneID = zoneID
        return .zone(zone)
    }
}
