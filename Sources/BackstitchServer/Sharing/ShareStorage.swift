import CloudWire

/// The reads of a storage that are about shares.
protocol ShareReading {
    /// The share of a zone; nil when it has none.
    func share(of zone: StoredZone) throws -> StoredShare?
    /// The live zone whose share has this name, and the record name of its owner.
    func sharedZone(tenant: String, shortGUID: String) throws -> (zone: StoredZone, owner: String)?
    /// A zone that another user shares with this one, with the user's rights; nil for one that the user may not read.
    ///
    /// - Parameter owner: The row of the user's database of shared zones.
    func sharedZone(_ owner: StoredOwner, user: String, of zoneOwner: String, named name: String) throws -> StoredZone?
    /// All of them, by owner and name.
    func sharedZones(_ owner: StoredOwner, user: String) throws -> [StoredZone]
    /// Entries whose last change lies after a sequence, oldest change first; those too that have ended.
    func changedSharedZones(
        _ owner: StoredOwner, user: String, after sequence: Int64, limit: Int
    ) throws -> [StoredSharedZone]
    /// How many zones others share with a user, and how many with those of which that has ended.
    func sharedZoneCount(_ owner: StoredOwner) throws -> (live: Int, all: Int)
    /// The users with whom a zone is shared, and who have accepted.
    func guests(of zone: StoredZone) throws -> [String]
}

/// The changes of a storage that are about shares. All of them under the zone's lock.
protocol ShareWriting: ShareReading {
    /// Adds the share of a zone, or takes the place of what is kept of it.
    func putShare(_ share: StoredShare, of zone: StoredZone) throws
    /// Removes the share of a zone with its participants.
    func removeShare(of zone: StoredZone) throws
    /// Puts a zone into a user's database of shared zones. The commit, which must follow, counts as a change of it.
    func grantAccess(to zone: StoredZone, of zoneOwner: String, in owner: StoredOwner) throws
    /// Ends the access of users. The commit, which must follow, counts as a change of their databases too.
    func endAccess(to zone: StoredZone, ofUsers users: [String]) throws
    /// Counts a commit of a zone as a change of the databases of all with whom it is, or was until now, shared.
    func advanceGuests(of zone: StoredZone) throws
}
