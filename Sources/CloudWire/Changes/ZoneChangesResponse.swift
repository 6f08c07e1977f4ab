/// Body of the answer of `changes/zone`.
package struct ZoneChangesResponse: Sendable, Hashable {
    /// The answer about one zone.
    package enum Zone: Sendable, Hashable {
        /// A page of changes.
        case changes(ZoneChanges)
        /// The zone cannot be read; BAD_REQUEST here means that the token is refused.
        case error(ZoneError)
    }

    /// The answers, in the order of the request.
    package var zones: [Zone]

    package init(zones: [Zone]) {
        self.zones = zones
    }
}

extension ZoneChangesResponse.Zone: WireDrafted {
    /// The keys of a page and of an error. The given keys decide which of the two the answer is.
    struct Draft: WireObject {
        var zoneID: ZoneID?
        var changes = ZoneChanges(zoneID: .blank, syncToken: nil, moreComing: false, records: [])
        var error = ErrorKeys.blank

        static var blank: Self { Self() }

        mutating func code(_ keys: inout some KeyCoder) {
            keys.optional("zoneID", &zoneID)
            keys.opaque("syncToken", &changes.syncToken)
            keys.value("moreComing", &changes.moreComing, if: !error.isGiven)
            keys.value("records", &changes.records, if: !error.isGiven)
            keys.optional("history", &changes.history)
            keys.optional("recordsLeft", &changes.recordsLeft)
            error.code(&keys)
        }
    }

    var draft: Draft {
        switch self {
        case .changes(let changes): Draft(zoneID: changes.zoneID, changes: changes)
        case .error(let error): Draft(zoneID: error.zoneID, error: error.error.draft)
        }
    }

    init(_ draft: Draft, from reader: borrowing JSONReader) throws(WireCodingError) {
        if let error = draft.error.error {
            self = .error(ZoneError(zoneID: draft.zoneID, error: error))
        } else {
            guard let zoneID = draft.zoneID else { throw reader.wrongValue("a zone's changes need a zoneID") }
            var changes = draft.changes
            changes.zoneID = zoneID
            self = .changes(changes)
        }
    }
}

extension ZoneChangesResponse: WireObject {
    static var blank: Self { Self(zones: []) }

    mutating func code(_ keys: inout some KeyCoder) { keys.nonNull("zones", &zones) }
}
