import CloudWire

/// The reads of a storage that are about shares.
protocol ShareReading: VisibilityReading {
    /// The shares of a zone whose own records, or whose roots, have these names, by number.
    ///
    /// - Parameter rootsOnly: Those that are found by their roots alone have no participants.
    func shares(
        of zone: StoredZone, named records: [String], ofRoots roots: [String], rootsOnly: Bool
    ) throws -> [StoredShare]
    /// The live zone that has the share of this name, the record name of its owner, and that of the share's record.
    func share(tenant: String, shortGUID: String) throws -> (zone: StoredZone, owner: String, record: String)?
    /// How many shares a zone has.
    func shareCount(_ zone: StoredZone) throws -> Int
    /// The record names of the shares of a zone that a user has accepted.
    func sharesAccepted(_ zone: StoredZone, by user: String) throws -> [String]
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

extension ShareReading {
    /// The shares of a zone whose own records, or whose roots, have these names, by number.
    func shares(of zone: StoredZone, named records: [String], ofRoots roots: [String]) throws -> [StoredShare] {
        try shares(of: zone, named: records, ofRoots: roots, rootsOnly: false)
    }

    /// The share whose record has this name; nil when there is none.
    func share(of zone: StoredZone, named record: String) throws -> StoredShare? {
        try shares(of: zone, named: [record], ofRoots: []).first
    }
}
