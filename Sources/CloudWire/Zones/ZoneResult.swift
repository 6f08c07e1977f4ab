/// One element of an answer about zones: the zone's description, or the reason why there is none.
package enum ZoneResult: Sendable, Hashable {
    /// The zone, which may be deleted.
    case zone(ZoneInfo)
    /// The operation on the zone failed.
    case error(ZoneError)
}

extension ZoneResult: WireDrafted {
    /// The keys of a zone and of an error. The given keys decide which of the two the element is.
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
