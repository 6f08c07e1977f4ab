/// A page of one zone's changes.
public struct ZoneChanges: Sendable, Hashable {
    /// The zone.
    public var zoneID: ZoneID
    /// The point up to which the client has now read; store it together with what the page changed.
    public var syncToken: String?
    /// True when another request with ``syncToken`` gives more. A page may be empty and still say so.
    public var moreComing: Bool
    /// Records as they are now, and deletions; each record once.
    public var records: [WireRecord]
    /// Extension: names the history of the server's storage. Another one than before in the same life of a zone tells
    /// that the server went back to an earlier state, and may lack what it has acknowledged.
    public var history: String?
    /// Extension: how many records and deletions come after this page, if it was asked for and ``moreComing``.
    public var recordsLeft: Int?

    /// A page.
    public init(
        zoneID: ZoneID, syncToken: String?, moreComing: Bool, records: [WireRecord], history: String? = nil,
        recordsLeft: Int? = nil
    ) {
        self.zoneID = zoneID
        self.syncToken = syncToken
        self.moreComing = moreComing
        self.records = records
        self.history = history
        self.recordsLeft = recordsLeft
    }
}

/// Body of the answer of `changes/zone`.
public struct ZoneChangesResponse: Sendable, Hashable {
    /// The answer about one zone.
    public enum Zone: Sendable, Hashable {
        /// A page of changes.
        case changes(ZoneChanges)
        /// The zone cannot be read; BAD_REQUEST here means that the token cannot be honoured.
        case error(ZoneError)
    }

    /// The answers, in the order of the request.
    public var zones: [Zone]

    /// An answer.
    public init(zones: [Zone]) {
        self.zones = zones
    }
}

extension ZoneChangesResponse.Zone: WireDrafted {
    /// The keys of a page and those of an error. Which of them are given tells what the answer is.
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
