import BackstitchSupport

/// The name of a zone and its owner.
package struct ZoneID: Sendable {
    /// The kind of a zone. Servers give it, and clients may repeat it.
    package enum ZoneType: String, Sendable, Hashable {
        /// The zone that every database has.
        case defaultZone = "DEFAULT_ZONE"
        /// A zone that an app has made.
        case custom = "REGULAR_CUSTOM_ZONE"
    }

    /// The name of the default zone, which every database has. It has no change feed.
    package static let defaultZoneName = "_defaultZone"

    /// The name of the zone, unique for its owner.
    package var zoneName: String
    /// The user record name of the owner; nil in a request means the caller.
    package var ownerRecordName: String?
    /// The kind of the zone. It is always present in answers of this project's server.
    package var zoneType: ZoneType?

    /// Creates the name of a zone of the caller, or of a given owner.
    package init(zoneName: String, ownerRecordName: String? = nil, zoneType: ZoneType? = nil) {
        self.zoneName = zoneName
        self.ownerRecordName = ownerRecordName
        self.zoneType = zoneType
    }

    /// True for the zone `_defaultZone`.
    package var isDefault: Bool { zoneName.isSame(as: Self.defaultZoneName) }
}

extension ZoneID: Hashable {
    /// Compares the names byte by byte, and the types.
    package static func == (left: ZoneID, right: ZoneID) -> Bool {
        left.zoneName.isSame(as: right.zoneName) && left.zoneType == right.zoneType
            && left.ownerRecordName.map { ByteText($0) } == right.ownerRecordName.map { ByteText($0) }
    }

    /// Hashes the parts that equality compares.
    package func hash(into hasher: inout Hasher) {
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
