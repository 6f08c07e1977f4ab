import Backstitch

// The state of a store's sync, independent of a zone.

extension SyncProperty where Value == String {
    /// The zone and the server of all the other properties.
    static var scope: Self { Self(name: "sync.scope") }
    /// The user who owns the zone, as soon as the server has told it.
    static var account: Self { Self(name: "sync.account") }
    /// The change token of the database. All zones changed before it are known.
    static var databaseToken: Self { Self(name: "sync.databaseToken") }
    /// The fingerprint of the model, and of this version's way of reading records.
    static var fingerprint: Self { Self(name: "sync.fingerprint") }
    /// The leading process: no other process begins to sync the store; see ``SyncGeneration``.
    static var leader: Self { Self(name: "sync.leader") }
    /// The process that syncs the store, if the store has no other kind of lock; see ``LeaseLock``.
    static var lease: Self { Self(name: "sync.lease") }
}

extension SyncProperty where Value == Bool {
    /// Whether sync is turned off.
    static var off: Self { Self(name: "sync.off") }
    /// Whether all transfers of assets are paused.
    static var transfersPaused: Self { Self(name: "sync.transfersPaused") }
    /// Whether any pull was ever completed.
    static var firstSync: Self { Self(name: "sync.firstSync") }
}

extension SyncProperty where Value == Int64 {
    /// The number of sync's steps so far, see ``SyncGeneration``.
    static var generation: Self { Self(name: "sync.generation") }
    /// The highest sequence at which another device may know an insert. Saves keep the deletion of such an object.
    static var attempted: Self { Self(name: OutboxEntry.attemptedKey) }
    /// The number of parked records of a zone.
    static var parkedCount: Self { Self(name: "sync.parkedCount") }
    /// The number of the zone made last.
    static var lastZone: Self { Self(name: "sync.lastZone") }
    /// The time at which the server last accepted changes (milliseconds since 1970).
    static var lastPush: Self { Self(name: "sync.lastPush") }
    /// The time at which a pull was last completed (milliseconds since 1970).
    static var lastPull: Self { Self(name: "sync.lastPull") }
}
