/// The name of a zone and its owner.
public struct ZoneID: Sendable, Hashable, WireCodable {
    /// The kind of a zone, which servers tell and clients may repeat.
    public enum ZoneType: String, Sendable, Hashable {
        /// The zone that every database has.
        case defaultZone = "DEFAULT_ZONE"
        /// A zone that an app has made.
        case custom = "REGULAR_CUSTOM_ZONE"
    }

    /// The name of the zone that every database has and that has no change feed.
    public static let defaultZoneName = "_defaultZone"

    /// Name of the zone, unique for its owner.
    public var zoneName: String
    /// User record name of the owner; nil in a request means the caller.
    public var ownerRecordName: String?
    /// The kind of zone; always there in answers of this project's server.
    public var zoneType: ZoneType?

    /// A zone of the caller, or of the owner given.
    public init(zoneName: String, ownerRecordName: String? = nil, zoneType: ZoneType? = nil) {
        self.zoneName = zoneName
        self.ownerRecordName = ownerRecordName
        self.zoneType = zoneType
    }

    /// True for `_defaultZone`.
    public var isDefault: Bool { zoneName == Self.defaultZoneName }

    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("zoneName")
        writer.string(zoneName)
        writer.optionalString("ownerRecordName", ownerRecordName)
        writer.optionalString("zoneType", zoneType?.rawValue)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> ZoneID {
        var zone = ZoneID(zoneName: "")
        var hasName = false
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "zoneName":
                guard let name = try reader.readStringOrNull() else { continue }
                zone.zoneName = name
                hasName = true
            case "ownerRecordName": zone.ownerRecordName = try reader.readStringOrNull()
            case "zoneType": zone.zoneType = try reader.readStringOrNull().flatMap(ZoneType.init)
            default: try reader.skip()
            }
        }
        guard hasName else { throw reader.wrongValue("a zone needs a zoneName") }
        return zone
    }
}
