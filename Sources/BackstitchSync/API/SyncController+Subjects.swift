// The methods that concern a part of the store, by subject.
extension SyncController {
    /// The store's zones, and the zones of its objects.
    public var zones: SyncZones { SyncZones(sync: self) }

    /// The sync state of objects, their records, and the user's rights to them.
    public var objects: SyncObjects { SyncObjects(sync: self) }

    /// Changes and records that cannot be synced as they are.
    public var blocked: SyncBlocked { SyncBlocked(sync: self) }

    /// The bytes of attributes with external storage.
    public var assets: SyncAssets { SyncAssets(sync: self) }

    /// Shares of zones and of single objects.
    public var sharing: SyncSharing { SyncSharing(sync: self) }

    /// The followed parts of the public database.
    public var following: SyncFollowing { SyncFollowing(sync: self) }

    /// The state of encryption, and the keys of participants in shares.
    public var encryption: SyncEncryption { SyncEncryption(sync: self) }
}
