import CloudWire

/// The reads of the log of visible records, and of the hierarchy of parents.
protocol VisibilityReading {
    /// The entries of all shares for some records, including records that are no longer visible.
    func visibility(_ zone: StoredZone, of names: [String]) throws -> [StoredVisibility]
    /// The places of the live records among these.
    func places(_ zone: StoredZone, of names: [String]) throws -> [RecordPlace]
    /// The places of at most `limit` live records with these parents.
    func children(_ zone: StoredZone, of parents: [String], limit: Int) throws -> [RecordPlace]
    /// The numbers of the shares with these roots.
    func shareNumbers(_ zone: StoredZone, ofRoots roots: [String]) throws -> [(root: String, number: Int64)]
    /// The users who take part in some shares, without their owner.
    func guests(of zone: StoredZone, inShares numbers: Set<Int64>) throws -> [String]
    /// The users among these who take part in other shares of the zone, and whether they may read any of those.
    func guests(
        of zone: StoredZone, among users: [String], besides share: StoredShare
    ) throws -> [(user: String, mayRead: Bool)]
    /// The number of entries of a share, and the bytes of their live records. At most `limit` entries are counted.
    func extent(of share: StoredShare, in zone: StoredZone, upTo limit: Int) throws -> (entries: Int, weight: Int)
}
