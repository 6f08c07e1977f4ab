import BackstitchSupport

/// The name of a zone and its owner.
public struct ZoneID: Sendable {
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
    public var isDefault: Bool { zoneName.isSame(as: Self.defaultZoneName) }
}

extension ZoneID: Hashable {
    /// Whether both have the same names, byte by byte, and the same type.
    public static func == (left: ZoneID, right: ZoneID) -> Bool {
        left.zoneName.isSame(as: right.zoneName) && left.zoneType == right.zoneType
            && left.ownerRecordName.map { ByteText($0) } == right.ownerRecordName.map { ByteText($0) }
    }

    /// Feeds the zone to a hasher.
    public func hash(into hasher: inout Hasher) {
        zoneName.hashBytes(into: &hasher)
        hasher.combine(ownerRecordName.map { ByteText($0) })
        hasher.combine(zoneType)
    }
}

extension ZoneID: WireObject {
    static var blank: Self { Self(zoneName: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("zoneName", &zoneName, else: "a zone needs a zoneName")
        keys.optional("ownerRecordName", &ownerRecordName)
        keys.knownWord("zoneType", &zoneType)
    }
}
