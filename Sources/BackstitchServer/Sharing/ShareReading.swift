import CloudWire

/// The reads of shares and of shared zones.
protocol ShareReading: VisibilityReading {
    /// The shares of a zone whose own records or roots have these names, in the order of their numbers.
    ///
    /// - Parameter rootsOnly: Whether shares found only by their roots come without participants.
    func shares(
        of zone: StoredZone, named records: [String], ofRoots roots: [String], rootsOnly: Bool
    ) throws -> [StoredShare]
    /// The live zone with the share of this address, its owner's record name, and the name of the share's record.
    func share(tenant: String, shortGUID: String) throws -> (zone: StoredZone, owner: String, record: String)?
    /// The number of shares in a zone.
    func shareCount(_ zone: StoredZone) throws -> Int
    /// The record names of the zone's shares that a user has accepted.
    func sharesAccepted(_ zone: StoredZone, by user: String) throws -> [String]
    /// A zone shared with this user, with the user's rights; nil if the user may not read it.
    ///
    /// - Parameter owner: The row of the user's shared database.
    func sharedZone(_ owner: StoredOwner, user: String, of zoneOwner: String, named name: String) throws -> StoredZone?
    /// All zones shared with this user, in the order of owner and name.
    func sharedZones(_ owner: StoredOwner, user: String) throws -> [StoredZone]
    /// The entries of a shared database that changed after a sequence, oldest change first. Ended entries are included.
    func changedSharedZones(
        _ owner: StoredOwner, user: String, after sequence: Int64, limit: Int
    ) throws -> [StoredSharedZone]
    /// The number of zones shared with a user, and the number with ended ones included.
    func sharedZoneCount(_ owner: StoredOwner) throws -> (live: Int, all: Int)
    /// The users who have accepted a share of the zone.
    func guests(of zone: StoredZone) throws -> [String]
}

extension ShareReading {
    /// The shares of a zone whose own records or roots have these names, in the order of their numbers.
    func shares(of zone: StoredZone, named records: [String], ofRoots roots: [String]) throws -> [StoredShare] {
        try shares(of: zone, named: records, ofRoots: roots, rootsOnly: false)
    }

    /// The share with this record name; nil if there is none.
    func share(of zone: StoredZone, named record: String) throws -> StoredShare? {
        try shares(of: zone, named: [record], ofRoots: []).first
    }
}
