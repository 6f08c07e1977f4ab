package import Backstitch
import CloudWire

// The state of single records, objects and assets, as far as it has no place in a row, in the outbox or in a record
// state.

extension SyncNotes where Subject == String, Value == ParkedNote {
    /// Parked records, by their names: they cannot become objects yet.
    static var parked: Self { Self(prefix: "sync.parked/") }
}

extension SyncNotes where Subject == String, Value == WireRecord {
    /// Records that wait for the end of the pull, by their names; see ``DeferredRecords``.
    static var deferred: Self { Self(prefix: "sync.held/") }
}

extension SyncNotes where Subject == ObjectKey, Value == String {
    /// The entities of objects replaced by deferred records, see ``DepartedObjects``.
    static var departed: Self { Self(prefix: "sync.departed/") }
}

extension SyncNotes where Subject == ObjectKey, Value == Bool {
    /// Objects removed from this store only.
    static var away: Self { Self(prefix: "sync.away/") }
    /// Objects deleted by this device in further zones, with records that were already gone there. The notes stay until
    /// the main zone was read; see ``RemoteChangeApplier/weighDeletionsElsewhere(_:)``.
    static var deletedBefore: Self { Self(prefix: "sync.deletedBefore/") }
    /// Objects with a change blocked by a missing encryption key.
    static var keyless: Self { Self(prefix: "sync.keyless/") }
    /// Objects with a change blocked by the paused upload of an asset.
    static var heldUpload: Self { Self(prefix: "sync.heldUpload/") }
    /// Objects with a change blocked by its token: the token does not allow it.
    static var unauthorized: Self { Self(prefix: "sync.unauthorized/") }
}

extension SyncNotes where Subject == ObjectKey, Value == ObjectKey {
    /// Objects merged into others, see ``MergedKeys``.
    static var merged: Self { Self(prefix: "sync.merged/") }
    /// Objects with a change blocked by another object's blocked change, since they depend on this other object. The
    /// value is the other object.
    static var blockedBelow: Self { Self(prefix: "sync.below/") }
}

extension SyncNotes where Subject == ObjectKey, Value == Int64 {
    /// The times at which the server was told of deletions whose inserts may still arrive (milliseconds since 1970).
    /// Notes of earlier versions, without a time, have a smaller number.
    static var withdrawn: Self { Self(prefix: "sync.withdrawn/") }
}

extension SyncNotes where Subject == AssetPlace, Value == WantedAsset {
    /// Assets to be downloaded.
    static var wanted: Self { Self(prefix: "sync.asset/") }
}

extension SyncNotes where Subject == AssetPlace, Value == Bool {
    /// Attributes whose bytes stay on this device.
    static var pinned: Self { Self(prefix: "sync.pin/") }
    /// Attributes with paused transfers of their bytes.
    static var pausedTransfer: Self { Self(prefix: "sync.pause/") }
}

extension SyncNotes where Subject == AssetReference, Value == Int64 {
    /// The times of the last request for each asset (milliseconds since 1970).
    static var lastUse: Self { Self(prefix: "sync.assetUse/") }
}

extension SyncNotes where Subject == String, Value == Bool {
    /// Parked records whose keys other objects have, by their names.
    static var takenKeys: Self { Self(prefix: "sync.takenKeys/") }
}

extension String: SyncNoteSubject {
    init?(noteName: String) { self = noteName }

    var noteName: String { self }
}

extension ObjectKey: SyncNoteSubject {
    init?(noteName: String) { self.init(uuidString: noteName) }

    var noteName: String { uuidString }
}

extension AssetReference: SyncNoteSubject {
    init?(noteName: String) { self.init(text: noteName) }

    var noteName: String { text }
}

extension JournalReading {
    /// The number of assets to be downloaded.
    package func wantedAssetCount() throws -> Int { try metadata(withPrefix: SyncNotes.wanted.prefix).count }

    /// The latest times for new attempts at unavailable assets, in milliseconds since 1970.
    package func nextTriesOfAssets() throws -> [Int64] { try WantedAsset.all(in: self).compactMap(\.failure?.tryBy) }
}
