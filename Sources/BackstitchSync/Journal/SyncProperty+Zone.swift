package import Backstitch

// The state of a zone as a store remembers it: what belongs to one life of it, and goes with that.

extension SyncProperty where Value == String {
    /// The change token up to which the zone is here.
    static var token: Self { Self(name: "sync.token") }
    /// Which life of the zone the rest belongs to, once the server has said.
    static var incarnation: Self { Self(name: "sync.incarnation") }
    /// The mark of that life with a server that does not name it, see ``KnownLife``.
    static var mark: Self { Self(name: "sync.mark") }
    /// The history of the server's storage to which the rest belongs, once the server has said.
    static var history: Self { Self(name: "sync.history") }
}

extension SyncProperty where Value == String {
    /// The keys for which all records were looked at, and none is left under one that is replaced; see ``KeyRotation``.
    static var rotatedKeys: Self { Self(name: "sync.rotatedKeys") }
}

extension SyncProperty where Value == Int64 {
    /// The part of the records at which a rotation of keys goes on.
    static var rotationPart: Self { Self(name: "sync.rotationPart") }
}

extension SyncProperty where Value == Bool {
    /// Whether zone and subscription were made.
    static var setUp: Self { Self(name: "sync.setUp") }
    /// Whether the server has said that there is something to read, and nobody has read to the end since.
    static var moved: Self { Self(name: "sync.moved") }
    /// Whether the server has said that the zone is gone, and nobody has seen to the consequences yet.
    static var gone: Self { Self(name: "sync.gone") }
}

extension SyncProperty where Value == SweepMode {
    /// Why a full fetch runs, while one does.
    static var sweep: Self { Self(name: "sync.sweep") }
}

extension SyncProperty where Value == ZoneAnchors {
    /// Records by which the life of the zone is known, where nothing else names it.
    static var anchors: Self { Self(name: "sync.anchor") }
}

extension SyncProperty where Value == InFlightPushes {
    /// Digests of pushed fields whose answer is not known.
    static var inFlight: Self { Self(name: "sync.inFlight") }
}

extension SyncProperty where Value == UnansweredInserts {
    /// Inserts whose answer is not known.
    static var unanswered: Self { Self(name: "sync.unanswered") }
}

extension SyncProperty where Value == [ObjectKey] {
    /// Objects whose deletion the server has taken since the last pull that came to its end.
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
    /// The change token up to which the zone is here.
    package func changeToken() throws -> String? { try value(of: .token) }

    /// Whether everything is being read again.
    package func isReadingAll() throws -> Bool { try has(.sweep) }
}
