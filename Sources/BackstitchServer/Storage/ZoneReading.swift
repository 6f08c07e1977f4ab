import BackstitchSQL
import BackstitchSupport
import CloudWire

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
