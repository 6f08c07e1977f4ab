import CloudWire

/// The reads of a storage that are about what participants see.
protocol VisibilityReading {
    /// The entries of all shares about some records, those that are gone too.
    func visibility(_ zone: StoredZone, of names: [String]) throws -> [StoredVisibility]
    /// The places of live records.
    func places(_ zone: StoredZone, of names: [String]) throws -> [RecordPlace]
    /// The places of the live records whose parents these are, `limit` of them at most.
    func children(_ zone: StoredZone, of parents: [String], limit: Int) throws -> [RecordPlace]
    /// The numbers of the shares of these roots.
    func shareNumbers(_ zone: StoredZone, ofRoots roots: [String]) throws -> [(root: String, number: Int64)]
    /// The users who take part in some shares, without their owner.
    func guests(of zone: StoredZone, inShares numbers: Set<Int64>) throws -> [String]
    /// Those of some users who take part in other shares of the zone, and whether they may read any of them.
    func guests(
        of zone: StoredZone, among users: [String], besides share: StoredShare
    ) throws -> [(user: String, mayRead: Bool)]
    /// How many entries a share has, and how much their live records weigh, counted up to a number of entries.
    func extent(of share: StoredShare, in zone: StoredZone, upTo limit: Int) throws -> (entries: Int, weight: Int)
}
