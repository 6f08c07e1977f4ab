import BackstitchSQL
import BackstitchSupport
import CloudWire

/// Where a server keeps everything.
///
/// Both calls run `body` away from the caller's threads, and again when other servers got into its way. A write is
/// atomic: it is undone when `body` throws, and nobody sees the database in between. It returns when what it wrote is
/// safe on the disk. Writes of different zones may be carried out at the same time, so what is read to be changed is
/// read under the zone's lock. A read sees one snapshot.
protocol ZoneStorage: Sendable {
    /// The secret from which the server's keys are made; the same for the life of the storage.
    var secret: [UInt8] { get }

    /// Names the time since the storage was made, or last found to have gone back to an earlier state. Later histories
    /// are greater.
    var history: Int64 { get }

    /// Whether other servers may use it at the same time.
    var isShared: Bool { get }

    /// Folder of the assets' content.
    var assets: AssetFolder { get }

    /// Whether there is any copy to read from.
    var hasReplicas: Bool { get }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneReading) throws -> Value
    ) async throws -> Value

    /// Reads from a copy of the database that may lag behind.
    ///
    /// - Parameter body: Gives nil where the copy has not come far enough.
    func readFromReplica<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneReading) throws -> Value?
    ) async throws -> ReplicaReading<Value>

    /// - Parameters:
    ///   - user: For whom: users take turns with the one writer. Empty for the server itself.
    ///   - bytes: Size of the request that is carried out: writes that wait together share a commit of bounded size.
    func write<Value: Sendable>(
        for user: String, bytes: Int, _ body: @escaping @Sendable (any ZoneWriting) throws -> Value
    ) async throws -> Value

    /// Tries to write, where a write has found the disk full.
    ///
    /// - Throws: ``TransactionFailure`` while it is full.
    func requireRoom() async throws

    /// A connection by which servers that share it tell each other something; nil where there is none. Blocks.
    func makeNotifier() throws -> (any SQLNotifier)?

    /// Closes the storage when no call is running.
    func close() async throws
}

extension ZoneStorage {
    /// Nothing but the database itself is there.
    func readFromReplica<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneReading) throws -> Value?
    ) async throws -> ReplicaReading<Value> { .none }

    /// Whether there is any copy to read from.
    var hasReplicas: Bool { false }

    /// Writes for the server itself.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneWriting) throws -> Value
    ) async throws -> Value {
        try await write(for: "", bytes: 0, body)
    }
}

/// The reads that are possible within a snapshot.
protocol ZoneReading: QueryReading, IdentityReading, WakeReading, ShareReading {
    /// The owner's row, or nil when nothing was ever written there.
    func owner(_ key: DatabaseKey) throws -> StoredOwner?
    /// A zone by its name, perhaps deleted.
    func zone(_ owner: StoredOwner, named name: String) throws -> StoredZone?
    /// Live zones by name.
    func liveZones(_ owner: StoredOwner) throws -> [StoredZone]
    /// Zones whose last change lies after a sequence, oldest change first.
    func changedZones(_ owner: StoredOwner, after sequence: Int64, limit: Int) throws -> [StoredZone]
    /// The records of these names, deleted ones too, in the order of the names.
    ///
    /// - Parameter limit: Most bytes of records together.
    /// - Throws: BAD_REQUEST "limit exceeded" when they are larger.
    func records(_ zone: StoredZone, named names: [String], limit: Int) throws -> [StoredRecord?]
    /// Record versions after a sequence, whole commits only; see ``FeedQuery``.
    func page(_ zone: StoredZone, _ query: FeedQuery) throws -> StoredPage
    /// How many records the feed has after a sequence, counted up to a number.
    func recordsLeft(_ zone: StoredZone, after sequence: Int64, upTo limit: Int) throws -> Int
    /// Those of the names that records have which are not deleted.
    func liveNames(_ zone: StoredZone, among names: [String]) throws -> Set<ByteText>
    /// References with consequences that point to one of the records, `limit` of them at most.
    ///
    /// - Parameter demands: The references with VALIDATE that are given.
    func references(
        _ zone: StoredZone, to targets: [String], demands: ReferenceDemands, limit: Int
    ) throws -> [StoredReference]
    /// For each of the records how many refer to it with DELETE_SELF, counted up to a number.
    func sourceCounts(_ zone: StoredZone, of targets: [String], upTo limit: Int) throws -> [(
        target: String, count: Int
    )]
    /// The same for those that one user has made, of the first so many that refer to each.
    func sourceCounts(
        _ zone: StoredZone, of targets: [String], madeBy user: String, upTo limit: Int
    ) throws -> [(target: String, count: Int)]
    /// Removals of a tenant's content so far, by whatever server; nil while that content is being removed.
    func removals(of name: AssetName) throws -> Int64?
    /// Content whose removal another server has left, or this one: `limit` names at most.
    func unendedRemovals(for turn: RemovalTurn, limit: Int) throws -> [AssetName]
    /// An asset's content.
    func asset(tenantID: Int64, checksum: AssetChecksum) throws -> StoredAsset?
    /// The sizes of those of the assets that are there. Few statements, however many they are.
    func assetSizes(tenantID: Int64, of checksums: [AssetChecksum]) throws -> [AssetChecksum: Int64]
    /// The answer kept for an idempotency key.
    func answer(_ owner: StoredOwner, user: String, key: String) throws -> StoredAnswer?
    /// A user's usage of a tenant. Complexity: one look-up.
    func usage(tenantID: Int64, user: String) throws -> StoredUsage
    /// In how many tenants a user has a private database.
    func privateDatabases(of user: String) throws -> Int
    /// How many zones a database has, and how many with those that were deleted.
    func zoneCount(_ owner: StoredOwner) throws -> (live: Int, all: Int)
    /// The subscriptions of a user in a database.
    func subscriptions(_ owner: StoredOwner, user: String) throws -> [WireSubscription]
    /// The tokens and keys by which push tokens were made, or devices named that can be woken, and which the storage
    /// does not honour. Tokens of the configuration are always among them. Reads all push tokens.
    func endedBearers(at now: Int64) throws -> [Bearer]
    /// The same for one user, by a look-up for each token and key.
    func endedBearers(of user: String, at now: Int64) throws -> [Bearer]
    /// A push token.
    func pushToken(_ key: PushTokenKey) throws -> StoredPushToken?
    /// The subscriptions that changes of these zones concern: all of the zones and of the database, and those of
    /// queries for records of these types. One statement.
    ///
    /// - Parameter limit: Most subscriptions of zones and of the database.
    func concernedSubscriptions(
        _ owner: StoredOwner, zones: [String], types: [String], limit: Int
    ) throws -> ConcernedSubscriptions
    /// A subscription of a user.
    func subscription(_ owner: StoredOwner, user: String, id: String) throws -> WireSubscription?
    /// How many query subscriptions a user has in a database, and how many all users have to a type of records there.
    func querySubscriptionCounts(
        _ owner: StoredOwner, user: String, type: String
    ) throws -> (ofUser: Int, ofType: Int)
    /// How many subscriptions a user has in a database.
    func subscriptionCount(_ owner: StoredOwner, user: String) throws -> Int
    /// The push tokens of some users, those first that were in use last. One statement.
    ///
    /// - Parameter limit: Most tokens of each user.
    func pushTokens(tenantID: Int64, users: [String], limit: Int) throws -> [(user: String, token: PushTokenKey)]
    /// The subscriptions whose notifications a push token gets; those of a zone name the zone.
    func hints(for token: StoredPushToken, limit: Int) throws -> [StoredHint]
    /// All push tokens of some users, with how far their subscriptions have come. Two statements. Complexity: O(*t* +
    /// *s*) for *t* tokens and *s* subscriptions.
    func watches(ofUsers users: [String]) throws -> [StoredWatch]
}

extension ZoneReading {
    /// The records that a change is planned from, not more together than twice the bytes of a request.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" when they are larger.
    func records(_ zone: StoredZone, named names: [String]) throws -> [StoredRecord?] {
        try records(zone, named: names, limit: 16 << 20)
    }
}

/// The writes that are possible within a transaction.
protocol ZoneWriting: ZoneReading, QueryWriting, IdentityWriting, SignInWriting, WakeWriting, ShareWriting {
    /// The owner's row, made with this epoch when it is missing.
    func makeOwner(_ key: DatabaseKey, epoch: Int64) throws -> StoredOwner
    /// A new live zone.
    func makeZone(_ owner: StoredOwner, named name: String, epoch: Int64) throws -> StoredZone
    /// Holds back other writers of this zone until the transaction ends, and gives the zone as it then is.
    func lock(_ zone: StoredZone) throws -> StoredZone
    /// Counts a commit of a locked zone and gives its sequence.
    func advance(_ zone: StoredZone) throws -> Int64
    /// Counts a change of a zone for `changes/database`, of its owner and of all with whom it is shared, and stamps the
    /// zone with it.
    ///
    /// - Parameter guests: The users with whom the zone is shared that hear of it; nil for all of them.
    func advanceOwner(of zone: StoredZone, guests: [String]?) throws
    /// Sets state and epoch of a zone.
    func update(_ zone: StoredZone, state: StoredZone.State, epoch: Int64) throws
    /// Takes everything from a zone, and gives the zone as it goes on, under another id. Takes no longer for a zone of
    /// many records: they are removed later, by `emptyDeletedZones`.
    func emptied(_ zone: StoredZone) throws -> StoredZone
    /// Removes a piece of what was taken from zones; false when nothing is left.
    func emptyDeletedZones(_ piece: RemovalPiece) throws -> Bool
    /// Adds records that the zone does not have.
    func insert(_ records: [StoredRecord], into zone: StoredZone) throws
    /// Changes records that the zone has.
    func update(_ records: [StoredRecord], in zone: StoredZone) throws
    /// Removes the references with consequences that start at some records, and adds others.
    func setReferences(_ zone: StoredZone, from sources: [String], _ references: [StoredReference]) throws
    /// Removes the uses of assets of some records, and adds others.
    func setAssets(_ zone: StoredZone, of records: [String], _ uses: [StoredAssetUse]) throws
    /// Adds an asset's content, or renews its time of upload.
    func putAsset(_ asset: StoredAsset) throws
    /// The same, unless content of the tenant was removed since that number of removals; false then.
    func putAsset(_ asset: StoredAsset, after removals: Int64) throws -> Bool
    /// Begins to remove content, and gives those of the names that have no row and that no other server removes.
    func beginRemoval(of names: [AssetName], by turn: RemovalTurn) throws -> [AssetName]
    /// Lets content come again that is gone now.
    func endRemoval(of names: [AssetName], by turn: RemovalTurn) throws
    /// Looks at assets that were uploaded before a time, and removes and gives those that no record uses. Looks only at
    /// those that were uploaded or given up by a record since it last found them used; `mayBeMore` says whether to call
    /// it again.
    func removeUnusedAssets(
        uploadedBefore time: Int64, limit: Int
    ) throws -> (gone: [StoredAsset], mayBeMore: Bool)
    /// Removes the push tokens that were made by tokens and keys, and the devices that can be woken, in all containers;
    /// gives the push tokens.
    func removePushTokens(of bearers: [Bearer]) throws -> [PushTokenKey]
    /// Forgets records that were deleted before a time, the oldest first, and raises the floors of their zones, so that
    /// tokens which may have missed a deletion are no longer honoured. Gives how many.
    func removeTombstones(deletedBefore time: Int64, limit: Int) throws -> Int
    /// Keeps the answer to an idempotency key.
    func putAnswer(_ owner: StoredOwner, user: String, key: String, _ answer: StoredAnswer) throws
    /// Forgets a piece of the answers that are older than a time; false when none is left.
    func removeAnswers(createdBefore time: Int64, _ piece: RemovalPiece) throws -> Bool
    /// Forgets so many answers of a user, the oldest first.
    func removeOldestAnswers(tenantID: Int64, user: String, count: Int) throws
    /// Adds or replaces a subscription.
    func putSubscription(_ owner: StoredOwner, user: String, _ subscription: WireSubscription) throws
    /// Notes the news of query subscriptions, for devices that wait at other servers, and gives how often each
    /// subscription has fired then; nil for one that is gone.
    func noteFirings(_ owner: StoredOwner, _ firings: [QueryFirings]) throws -> [Int64?]
    /// Removes a subscription; false when there was none.
    func removeSubscription(_ owner: StoredOwner, user: String, id: String) throws -> Bool
    /// Writes what is there already, to find out whether the disk has room.
    func probeDisk() throws
    /// Adds a push token, or gives it to another user.
    func putPushToken(_ token: StoredPushToken, seen: Int64) throws
    /// Notes that these push tokens are in use.
    func touchPushTokens(_ tokens: [PushTokenKey], seen: Int64) throws
    /// Forgets push tokens that were not in use since a time, `limit` of them at most; gives how many.
    func removePushTokens(unseenSince time: Int64, limit: Int) throws -> Int
    /// Forgets push tokens of a user beyond a number, those first that were not in use for longest, but not the one
    /// that is named. Gives those that are forgotten.
    func removePushTokens(of user: String, beyond limit: Int, keeping key: PushTokenKey) throws -> [PushTokenKey]
    /// Forgets the push tokens of a user that were made under a client's name, and gives them.
    func removePushTokens(tenant: String, user: String, client: String) throws -> [PushTokenKey]
    /// Gives every owner and zone a new epoch, so that no older token is honoured: the lower half of the epoch is taken
    /// from `next`, the upper half, by which clients know that it is the same zone still, stays.
    func renewEpochs(_ next: () -> Int64) throws
}

/// How much one transaction removes, so that other writers do not wait long for it.
struct RemovalPiece: Sendable {
    var rows = 500
    /// Bytes of the rows' content; a single row may have more.
    var bytes = 2 << 20

    /// Rows of which each is in a place of its own in a further index.
    static let ofScatteredRows = RemovalPiece(rows: 200)
}

/// Which part of a feed is asked for.
struct FeedQuery: Sendable {
    /// Versions after this sequence; with `reverse`, before it.
    var cursor: Int64
    /// Most records, unless a single commit has more.
    var limit: Int
    /// Most bytes in an answer.
    var bytes: Int
    /// Whether a single commit may have more bytes than that: the first one of an answer must, or its reader would get
    /// no further.
    var takesLargeCommit: Bool
    /// Newest first.
    var reverse: Bool
}
