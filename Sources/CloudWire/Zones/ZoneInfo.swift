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

extension ZoneResult: WireDrafted {
    /// The keys of a zone and those of an error. Which of them are given tells what the element is.
    struct Draft: WireObject {
        var zoneID: ZoneID?
        var zone = ZoneInfo(zoneID: .blank)
        var error = ErrorKeys.blank

        static var blank: Self { Self() }

        mutating func code(_ keys: inout some KeyCoder) {
            keys.optional("zoneID", &zoneID)
            keys.opaque("syncToken", &zone.syncToken)
            keys.optional("atomic", &zone.atomic)
            keys.optional("deleted", &zone.deleted)
            keys.knownWord("deletedReason", &zone.deletedReason)
            keys.optional("incarnation", &zone.incarnation)
            error.code(&keys)
        }
    }

    var draft: Draft {
        switch self {
        case .zone(let zone): Draft(zoneID: zone.zoneID, zone: zone)
        case .error(let error): Draft(zoneID: error.zoneID, error: error.error.draft)
        }
    }

    init(_ draft: Draft, from reader: borrowing JSONReader) throws(WireCodingError) {
        if let error = draft.error.error {
            self = .error(ZoneError(zoneID: draft.zoneID, error: error))
        } else {
            guard let zoneID = draft.zoneID else { throw reader.wrongValue("a zone needs a zoneID") }
            var zone = draft.zone
            zone.zoneID = zoneID
            self = .zone(zone)
        }
    }
}

extension ZoneError: WireEncodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) { ZoneResult.error(self).write(to: &writer) }
}
