package import Backstitch

// The stored state of a zone. It belongs to one life of the zone, and ends with it.

extension SyncProperty where Value == String {
    /// The change token of the last read of the zone.
    static var token: Self { Self(name: "sync.token") }
    /// The life of the zone, with all these properties, as soon as the server has named it.
    static var incarnation: Self { Self(name: "sync.incarnation") }
    /// The mark of this life if the server does not name it, see ``KnownLife``.
    static var mark: Self { Self(name: "sync.mark") }
    /// The history of the server's storage, as soon as the server has named it. All these properties belong to it.
    static var history: Self { Self(name: "sync.history") }
}

extension SyncProperty where Value == String {
    /// The keys of the last completed rotation: all records were checked, and none is left under a replaced key; see
    /// ``KeyRotation``.
    static var rotatedKeys: Self { Self(name: "sync.rotatedKeys") }
}

extension SyncProperty where Value == Int64 {
    /// The part of the records at which a key rotation continues.
    static var rotationPart: Self { Self(name: "sync.rotationPart") }
}

extension SyncProperty where Value == Bool {
    /// Whether the zone and its subscription were made.
    static var setUp: Self { Self(name: "sync.setUp") }
    /// Whether the server has announced changes that were not read to the end yet.
    static var moved: Self { Self(name: "sync.moved") }
    /// Whether the server has reported the loss of the zone, and this was not handled yet.
    static var gone: Self { Self(name: "sync.gone") }
}

extension SyncProperty where Value == SweepMode {
    /// The reason of a full fetch, while it runs.
    static var sweep: Self { Self(name: "sync.sweep") }
}

extension SyncProperty where Value == ZoneAnchors {
    /// Records that identify the life of the zone, if nothing else names it.
    static var anchors: Self { Self(name: "sync.anchor") }
}

extension SyncProperty where Value == InFlightPushes {
    /// Digests of pushed fields without a known answer.
    static var inFlight: Self { Self(name: "sync.inFlight") }
}

extension SyncProperty where Value == UnansweredInserts {
    /// Inserts without a known answer.
    static var unanswered: Self { Self(name: "sync.unanswered") }
}

extension SyncProperty where Value == [ObjectKey] {
    /// Objects whose deletion the server has accepted since the last completed pull.
    static var ended: Self { Self(name: "sync.ended") }
}

extension JournalWriting {
    /// Forgets the state of the zone.
    func forgetZoneState() throws {
        for name in ZoneState.properties.sorted() where try metadata(for: name) != nil {
            try setMetadata(nil, for: name)
        }
        try removeNotes(.objectShares)
    }
}

extension JournalReading {
    /// The change token of the last read of the zone.
    package func changeToken() throws -> String? { try value(of: .token) }

    /// Whether a full fetch of the zone is running.
    package func isReadingAll() throws -> Bool { try has(.sweep) }
}
