import BackstitchSQL
import BackstitchSupport
import CloudWire

/// The writes of one transaction.
protocol ZoneWriting: ZoneReading, QueryWriting, IdentityWriting, SignInWriting, WakeWriting, ShareWriting {
    /// The row of an owner. A missing row is made with this epoch.
    func makeOwner(_ key: DatabaseKey, epoch: Int64) throws -> StoredOwner
    /// Makes a live zone, and returns it.
    func makeZone(_ owner: StoredOwner, named name: String, epoch: Int64) throws -> StoredZone
    /// Blocks other writers of this zone until the transaction ends, and returns the zone's current state.
    func lock(_ zone: StoredZone) throws -> StoredZone
    /// Counts a commit of a locked zone, and returns its sequence.
    func advance(_ zone: StoredZone) throws -> Int64
    /// Counts a change of a zone for `changes/database`, in its owner's database and in those of its guests. The zone
    /// gets the owner's new number.
    ///
    /// - Parameter guests: The guests to tell of the change; nil for all of them.
    func advanceOwner(of zone: StoredZone, guests: [String]?) throws
    /// Sets the state and the epoch of a zone.
    func update(_ zone: StoredZone, state: StoredZone.State, epoch: Int64) throws
    /// Empties a zone. Returns the zone as it continues, under another id.
    ///
    /// The time does not depend on the number of records: they are removed later, by `emptyDeletedZones`.
    func emptied(_ zone: StoredZone) throws -> StoredZone
    /// Removes a piece of the content of emptied zones; false when nothing is left.
    func emptyDeletedZones(_ piece: RemovalPiece) throws -> Bool
    /// Adds records with names that are new in the zone.
    func insert(_ records: [StoredRecord], into zone: StoredZone) throws
    /// Replaces records of the zone by new versions.
    func update(_ records: [StoredRecord], in zone: StoredZone) throws
    /// Replaces the references with an action that start at some records.
    func setReferences(_ zone: StoredZone, from sources: [String], _ references: [StoredReference]) throws
    /// Replaces the uses of assets by some records.
    func setAssets(_ zone: StoredZone, of records: [String], _ uses: [StoredAssetUse]) throws
    /// Adds the content of an asset, or renews its time of upload.
    func putAsset(_ asset: StoredAsset) throws
    /// The same, but only if no content of the tenant was removed since `removals` was read; false otherwise.
    func putAsset(_ asset: StoredAsset, after removals: Int64) throws -> Bool
    /// Begins to remove content. Returns the names without a row that no other server is removing.
    func beginRemoval(of names: [AssetName], by turn: RemovalTurn) throws -> [AssetName]
    /// Ends the removal of content. From then on it can be uploaded again.
    func endRemoval(of names: [AssetName], by turn: RemovalTurn) throws
    /// Examines assets uploaded before `time`, and removes those that no record uses. Returns the removed assets.
    ///
    /// It examines only assets that were uploaded, or given up by a record, since it last found them used. `mayBeMore`
    /// says whether to call it again.
    func removeUnusedAssets(
        uploadedBefore time: Int64, limit: Int
    ) throws -> (gone: [StoredAsset], mayBeMore: Bool)
    /// Removes the push tokens and wakeable devices made with these tokens and keys, in all containers. Returns the
    /// removed push tokens.
    func removePushTokens(of bearers: [Bearer]) throws -> [PushTokenKey]
    /// Forgets the oldest records deleted before `time`, and returns their number.
    ///
    /// It raises the floors of their zones: a token that may have missed a deletion is then refused.
    func removeTombstones(deletedBefore time: Int64, limit: Int) throws -> Int
    /// Keeps the answer for an idempotency key.
    func putAnswer(_ owner: StoredOwner, user: String, key: String, _ answer: StoredAnswer) throws
    /// Removes a piece of the answers older than `time`; false when none is left.
    func removeAnswers(createdBefore time: Int64, _ piece: RemovalPiece) throws -> Bool
    /// Removes the `count` oldest answers of a user.
    func removeOldestAnswers(tenantID: Int64, user: String, count: Int) throws
    /// Adds a subscription, or replaces the one with the same id.
    func putSubscription(_ owner: StoredOwner, user: String, _ subscription: WireSubscription) throws
    /// Notes the firings of query subscriptions, for devices that wait at other servers.
    ///
    /// Returns the number of firings of each subscription so far; nil for a subscription that no longer exists.
    func noteFirings(_ owner: StoredOwner, _ firings: [QueryFirings]) throws -> [Int64?]
    /// Removes a subscription; false if there was none.
    func removeSubscription(_ owner: StoredOwner, user: String, id: String) throws -> Bool
    /// Writes a row with its present values, to find out whether the disk has room.
    func probeDisk() throws
    /// Adds a push token, or gives it to another user.
    func putPushToken(_ token: StoredPushToken, seen: Int64) throws
    /// Notes the last use of these push tokens.
    func touchPushTokens(_ tokens: [PushTokenKey], seen: Int64) throws
    /// Removes at most `limit` push tokens that were not used since `time`. Returns their number.
    func removePushTokens(unseenSince time: Int64, limit: Int) throws -> Int
    /// Keeps at most `limit` push tokens of a user, the most recently used, and always `key`. Returns the removed ones.
    func removePushTokens(of user: String, beyond limit: Int, keeping key: PushTokenKey) throws -> [PushTokenKey]
    /// Removes the push tokens that a user made under a client's name, and returns them.
    func removePushTokens(tenant: String, user: String, client: String) throws -> [PushTokenKey]
    /// Gives every owner and zone a new epoch, so that all older tokens are refused.
    ///
    /// The lower half comes from `next`. The upper half stays: by it clients know that the zone is still the same.
    func renewEpochs(_ next: () -> Int64) throws
}
