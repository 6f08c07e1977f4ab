import CloudWire

/// Where a server keeps everything.
///
/// Both calls run `body` away from the caller's threads. A write is one transaction: it is committed when `body`
/// returns and undone when it throws, and no other write sees the database in between. A read sees one snapshot.
protocol ZoneStorage: Sendable {
    /// The secret from which the server's keys are made; the same for the life of the storage.
    var secret: [UInt8] { get }

    /// Folder of the assets' content.
    var assets: AssetFolder { get }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneReading) throws -> Value
    ) async throws -> Value

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneWriting) throws -> Value
    ) async throws -> Value

    /// Closes the storage when no call is running.
    func close() async throws
}

/// What can be asked within a snapshot.
protocol ZoneReading {
    /// The owner's row, or nil when nothing was ever written there.
    func owner(_ key: DatabaseKey) throws -> StoredOwner?
    /// A zone by its name, perhaps deleted.
    func zone(_ owner: StoredOwner, named name: String) throws -> StoredZone?
    /// Live zones by name.
    func liveZones(_ owner: StoredOwner) throws -> [StoredZone]
    /// Zones whose last change lies after a sequence, oldest change first.
    func changedZones(_ owner: StoredOwner, after sequence: Int64, limit: Int) throws -> [StoredZone]
    /// The records of these names, deleted ones too, in the order of the names.
    func records(_ zone: StoredZone, named names: [String]) throws -> [StoredRecord?]
    /// Record versions after a sequence, whole commits only; see ``FeedQuery``.
    func page(_ zone: StoredZone, _ query: FeedQuery) throws -> StoredPage
    /// References with consequences that point to a record.
    func references(_ zone: StoredZone, to target: String) throws -> [StoredReference]
    /// An asset's content.
    func asset(tenantID: Int64, checksum: AssetChecksum) throws -> StoredAsset?
    /// The answer kept for an idempotency key.
    func answer(_ owner: StoredOwner, user: String, key: String) throws -> StoredAnswer?
    /// The subscriptions of a user in a database.
    func subscriptions(_ owner: StoredOwner, user: String) throws -> [WireSubscription]
    /// A push token.
    func pushToken(_ key: PushTokenKey) throws -> StoredPushToken?
    /// Who hears of a commit in this zone.
    func recipients(_ owner: StoredOwner, zone: StoredZone) throws -> [PushRecipient]
    /// What a push token hears of at all, with the zone of each zone subscription.
    func hints(for token: StoredPushToken) throws -> [WireSubscription]
}

/// What can be changed within a transaction.
protocol ZoneWriting: ZoneReading {
    /// The owner's row, made with this epoch when it is missing.
    func makeOwner(_ key: DatabaseKey, epoch: Int64) throws -> StoredOwner
    /// A new live zone.
    func makeZone(_ owner: StoredOwner, named name: String, epoch: Int64) throws -> StoredZone
    /// Holds back other writers of this zone until the transaction ends, and gives the zone as it then is.
    func lock(_ zone: StoredZone) throws -> StoredZone
    /// Counts a commit of a locked zone and gives its sequence.
    func advance(_ zone: StoredZone) throws -> Int64
    /// Counts a change for `changes/database` and stamps the zone with it.
    func advanceOwner(_ owner: StoredOwner, for zone: StoredZone) throws
    /// Sets state and epoch of a zone.
    func update(_ zone: StoredZone, state: StoredZone.State, epoch: Int64) throws
    /// Removes everything in a zone, but not its row.
    func empty(_ zone: StoredZone) throws
    /// Adds records that the zone does not have.
    func insert(_ records: [StoredRecord], into zone: StoredZone) throws
    /// Changes records that the zone has.
    func update(_ records: [StoredRecord], in zone: StoredZone) throws
    /// Sets the references with consequences that start at a record.
    func setReferences(_ zone: StoredZone, from source: String, _ references: [StoredReference]) throws
    /// Sets the assets that a record uses.
    func setAssets(_ zone: StoredZone, of record: String, _ uses: [(field: String, checksum: AssetChecksum)]) throws
    /// Adds an asset's content, or renews its time of upload.
    func putAsset(_ asset: StoredAsset) throws
    /// Removes assets that were uploaded before a time and that no record uses, and gives them. Looks only at those
    /// that were uploaded or given up by a record since it last found them used.
    func removeUnusedAssets(uploadedBefore time: Int64, limit: Int) throws -> [StoredAsset]
    /// Forgets records that were deleted before a time, the oldest first, and raises the floors of their zones, so that tokens which may
    /// have missed a deletion are no longer honoured. Gives how many.
    func removeTombstones(deletedBefore time: Int64, limit: Int) throws -> Int
    /// Keeps the answer to an idempotency key.
    func putAnswer(_ owner: StoredOwner, user: String, key: String, _ answer: StoredAnswer) throws
    /// Forgets answers that are older than a time.
    func removeAnswers(createdBefore time: Int64) throws
    /// Adds or replaces a subscription.
    func putSubscription(_ owner: StoredOwner, user: String, _ subscription: WireSubscription) throws
    /// Removes a subscription; false when there was none.
    func removeSubscription(_ owner: StoredOwner, user: String, id: String) throws -> Bool
    /// Adds a push token, or gives it to another user.
    func putPushToken(_ token: StoredPushToken, seen: Int64) throws
    /// Notes that these push tokens are in use.
    func touchPushTokens(_ tokens: [PushTokenKey], seen: Int64) throws
    /// Forgets push tokens that were not in use since a time.
    func removePushTokens(unseenSince time: Int64) throws
    /// Gives every owner and zone a new epoch, so that no older token is honoured: the lower half of the epoch is taken from `next`,
    /// the upper half, by which clients know that it is the same zone still, stays.
    func renewEpochs(_ next: () -> Int64) throws
    /// Runs `action` on the writer's thread after the commit, before any other write.
    func afterCommit(_ action: @escaping @Sendable () -> Void)
}

/// Which part of a feed is asked for.
struct FeedQuery: Sendable {
    /// Versions after this sequence; with `reverse`, before it.
    var cursor: Int64
    /// Most records, unless a single commit has more.
    var limit: Int
    /// Most bytes of fields, unless a single commit has more.
    var bytes: Int
    /// Newest first.
    var reverse: Bool
}
