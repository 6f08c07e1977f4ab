import BackstitchSQL
import BackstitchSupport
import CloudWire

/// The reads of one snapshot.
protocol ZoneReading: QueryReading, IdentityReading, WakeReading, ShareReading {
    /// The row of an owner, or nil if nothing was ever written to the database.
    func owner(_ key: DatabaseKey) throws -> StoredOwner?
    /// The zone with this name, which may be deleted.
    func zone(_ owner: StoredOwner, named name: String) throws -> StoredZone?
    /// The live zones of an owner, in the order of their names.
    func liveZones(_ owner: StoredOwner) throws -> [StoredZone]
    /// The zones whose last change is after a sequence, oldest change first.
    func changedZones(_ owner: StoredOwner, after sequence: Int64, limit: Int) throws -> [StoredZone]
    /// The records with these names, in the order of the names. Deleted records are included.
    ///
    /// - Parameter limit: The maximum bytes of all records together.
    /// - Throws: BAD_REQUEST "limit exceeded" if they are larger.
    func records(_ zone: StoredZone, named names: [String], limit: Int) throws -> [StoredRecord?]
    /// The record versions after a sequence, in whole commits; see ``FeedQuery``.
    func page(_ zone: StoredZone, _ query: FeedQuery) throws -> StoredPage
    /// The number of records in the feed after a sequence, counted up to `limit`.
    func recordsLeft(_ zone: StoredZone, after sequence: Int64, upTo limit: Int) throws -> Int
    /// The names among these that belong to live records.
    func liveNames(_ zone: StoredZone, among names: [String]) throws -> Set<ByteText>
    /// At most `limit` references with an action that point to one of the records.
    ///
    /// - Parameter demands: The references with VALIDATE to include.
    func references(
        _ zone: StoredZone, to targets: [String], demands: ReferenceDemands, limit: Int
    ) throws -> [StoredReference]
    /// The number of references with DELETE_SELF to each of the records, counted up to `limit`.
    func sourceCounts(_ zone: StoredZone, of targets: [String], upTo limit: Int) throws -> [(
        target: String, count: Int
    )]
    /// The same for references from records of one user, among the first `limit` references to each record.
    func sourceCounts(
        _ zone: StoredZone, of targets: [String], madeBy user: String, upTo limit: Int
    ) throws -> [(target: String, count: Int)]
    /// The number of times that any server removed content of the tenant; nil while this content is being removed.
    func removals(of name: AssetName) throws -> Int64?
    /// At most `limit` names of content whose removal has not ended: this server's removals, and those abandoned by
    /// another.
    func unendedRemovals(for turn: RemovalTurn, limit: Int) throws -> [AssetName]
    /// The content of an asset, if it was uploaded.
    func asset(tenantID: Int64, checksum: AssetChecksum) throws -> StoredAsset?
    /// The sizes of the assets that exist among these. The number of statements is small for any number of assets.
    func assetSizes(tenantID: Int64, of checksums: [AssetChecksum]) throws -> [AssetChecksum: Int64]
    /// The answer kept for an idempotency key.
    func answer(_ owner: StoredOwner, user: String, key: String) throws -> StoredAnswer?
    /// The usage of a user in a tenant. Complexity: one look-up.
    func usage(tenantID: Int64, user: String) throws -> StoredUsage
    /// The number of tenants with a private database of this user.
    func privateDatabases(of user: String) throws -> Int
    /// The number of live zones of a database, and the number with deleted zones included.
    func zoneCount(_ owner: StoredOwner) throws -> (live: Int, all: Int)
    /// All subscriptions of a user in a database.
    func subscriptions(_ owner: StoredOwner, user: String) throws -> [WireSubscription]
    /// The ended tokens and keys that left push tokens or wakeable devices behind.
    ///
    /// Tokens of the configuration are always among them, because the storage does not have them. Reads all push
    /// tokens.
    func endedBearers(at now: Int64) throws -> [Bearer]
    /// The same for one user, by one look-up for each token and key.
    func endedBearers(of user: String, at now: Int64) throws -> [Bearer]
    /// The push token with this key, if it is known.
    func pushToken(_ key: PushTokenKey) throws -> StoredPushToken?
    /// The subscriptions concerned by changes of these zones. These are all subscriptions to the zones and the
    /// database, and the query subscriptions for these record types. One statement.
    ///
    /// - Parameter limit: The maximum number of subscriptions to zones and to the database.
    func concernedSubscriptions(
        _ owner: StoredOwner, zones: [String], types: [String], limit: Int
    ) throws -> ConcernedSubscriptions
    /// The subscription of a user with this id.
    func subscription(_ owner: StoredOwner, user: String, id: String) throws -> WireSubscription?
    /// The number of query subscriptions of a user in a database, and the number of all users' query subscriptions for
    /// one record type there.
    func querySubscriptionCounts(
        _ owner: StoredOwner, user: String, type: String
    ) throws -> (ofUser: Int, ofType: Int)
    /// The number of subscriptions of a user in a database.
    func subscriptionCount(_ owner: StoredOwner, user: String) throws -> Int
    /// The push tokens of some users, the most recently used first. One statement.
    ///
    /// - Parameter limit: The maximum number of tokens of each user.
    func pushTokens(tenantID: Int64, users: [String], limit: Int) throws -> [(user: String, token: PushTokenKey)]
    /// The subscriptions that send notifications to a push token. A subscription to a zone names its zone.
    func hints(for token: StoredPushToken, limit: Int) throws -> [StoredHint]
    /// All push tokens of some users, with the state of their subscriptions. Two statements.
    ///
    /// Complexity: O(*t* + *s*) for *t* tokens and *s* subscriptions.
    func watches(ofUsers users: [String]) throws -> [StoredWatch]
}

extension ZoneReading {
    /// The present records for the plan of a change. Their limit is 16 MB, twice the size of a request.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" if they are larger.
    func records(_ zone: StoredZone, named names: [String]) throws -> [StoredRecord?] {
        try records(zone, named: names, limit: 16 << 20)
    }
}
