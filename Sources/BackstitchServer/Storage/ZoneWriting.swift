import BackstitchSQL
import BackstitchSupport
import CloudWire

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
