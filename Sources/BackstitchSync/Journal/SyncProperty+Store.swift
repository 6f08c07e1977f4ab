import Backstitch

// The state of a store's sync, whichever zone it is in step with.

extension SyncProperty where Value == String {
    /// Which zone of which server the rest belongs to.
    static var scope: Self { Self(name: "sync.scope") }
    /// The user whose zone it is, once the server has said.
    static var account: Self { Self(name: "sync.account") }
    /// The change token of the database up to which it is known which zones have moved.
    static var databaseToken: Self { Self(name: "sync.databaseToken") }
    /// The fingerprint of the model and of the way in which this version reads records.
    static var fingerprint: Self { Self(name: "sync.fingerprint") }
    /// The process that leads: no other one begins to sync the store; see ``SyncGeneration``.
    static var leader: Self { Self(name: "sync.leader") }
    /// The process that syncs the store, where the store has no lock of another kind; see ``LeaseLock``.
    static var lease: Self { Self(name: "sync.lease") }
}

extension SyncProperty where Value == Bool {
    /// Whether sync is turned off.
    static var off: Self { Self(name: "sync.off") }
    /// Whether no assets travel for now.
    static var transfersPaused: Self { Self(name: "sync.transfersPaused") }
    /// Whether a pull has come to its end, ever.
    static var firstSync: Self { Self(name: "sync.firstSync") }
}

extension SyncProperty where Value == Int64 {
    /// How many steps sync has made, see ``SyncGeneration``.
    static var generation: Self { Self(name: "sync.generation") }
    /// The highest sequence of which anybody else may know an insert: saves keep its deletion.
    static var attempted: Self { Self(name: OutboxEntry.attemptedKey) }
    /// How many records of a zone are parked.
    static var parkedCount: Self { Self(name: "sync.parkedCount") }
    /// The number of the zone that was made last.
    static var lastZone: Self { Self(name: "sync.lastZone") }
    /// When the server last took changes (milliseconds since 1970).
    static var lastPush: Self { Self(name: "sync.lastPush") }
    /// When a pull last came to its end (milliseconds since 1970).
    static var lastPull: Self { Self(name: "sync.lastPull") }
}
