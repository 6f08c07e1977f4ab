package import Backstitch
import CloudWire

// The state of single records, objects and assets, as far as it is no part of a row, of the outbox or of a record
// state.

extension SyncNotes where Subject == String, Value == ParkedNote {
    /// Records that cannot become objects yet, by their names.
    static var parked: Self { Self(prefix: "sync.parked/") }
}

extension SyncNotes where Subject == String, Value == WireRecord {
    /// Records that wait for the end of the pull, by their names; see ``DeferredRecords``.
    static var deferred: Self { Self(prefix: "sync.held/") }
}

extension SyncNotes where Subject == ObjectKey, Value == String {
    /// The entities of objects whose place a deferred record takes, see ``DepartedObjects``.
    static var departed: Self { Self(prefix: "sync.departed/") }
}

extension SyncNotes where Subject == ObjectKey, Value == Bool {
    /// Objects that were removed here, and here only.
    static var away: Self { Self(prefix: "sync.away/") }
    /// Objects that this device has deleted in zones beside the main one, whose records there were gone before, until
    /// the main zone was read; see ``RemoteChangeApplier/weighDeletionsElsewhere(_:)``.
    static var deletedBefore: Self { Self(prefix: "sync.deletedBefore/") }
    /// Objects whose changes are blocked, since there is no key to encrypt with.
    static var keyless: Self { Self(prefix: "sync.keyless/") }
    /// Objects whose changes are blocked, since the upload of an asset is paused.
    static var heldUpload: Self { Self(prefix: "sync.heldUpload/") }
    /// Objects whose changes are blocked, since the token with which they were sent is not for them.
    static var unauthorized: Self { Self(prefix: "sync.unauthorized/") }
}

extension SyncNotes where Subject == ObjectKey, Value == ObjectKey {
    /// Objects that others have become, see ``MergedKeys``.
    static var merged: Self { Self(prefix: "sync.merged/") }
    /// Objects whose changes are blocked since those of others are on which they hang: those others.
    static var blockedBelow: Self { Self(prefix: "sync.below/") }
}

extension SyncNotes where Subject == ObjectKey, Value == Int64 {
    /// When the server was told that objects are deleted whose inserts may still arrive (milliseconds since 1970; from
    /// before that was kept, a smaller number).
    static var withdrawn: Self { Self(prefix: "sync.withdrawn/") }
}

extension SyncNotes where Subject == AssetPlace, Value == WantedAsset {
    /// Assets that are to be downloaded.
    static var wanted: Self { Self(prefix: "sync.asset/") }
}

extension SyncNotes where Subject == AssetPlace, Value == Bool {
    /// Attributes whose bytes stay here.
    static var pinned: Self { Self(prefix: "sync.pin/") }
    /// Attributes whose bytes do not travel for now.
    static var pausedTransfer: Self { Self(prefix: "sync.pause/") }
}

extension SyncNotes where Subject == AssetReference, Value == Int64 {
    /// When assets were asked for last (milliseconds since 1970).
    static var lastUse: Self { Self(prefix: "sync.assetUse/") }
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
    /// How many assets are to be downloaded.
    package func wantedAssetCount() throws -> Int { try metadata(withPrefix: SyncNotes.wanted.prefix).count }

    /// When assets are tried again at the latest that could not be had, in milliseconds since 1970.
    package func nextTriesOfAssets() throws -> [Int64] { try WantedAsset.all(in: self).compactMap(\.failure?.tryBy) }
}
