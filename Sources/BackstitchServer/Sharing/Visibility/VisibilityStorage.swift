import CloudWire

/// An entry of the log of what participants see: a record that a share shows, or has shown.
struct StoredVisibility: Sendable, Hashable {
    /// The number of the share; below zero, that of a guest's database with another sign: news for that guest alone.
    var share: Int64
    var name: String
    /// The sequence at which the record, or whether the share shows it, last changed.
    var sequence: Int64
    /// The storage's history in which that was.
    var history: Int64
    /// Whether the share shows it no more.
    var isGone: Bool
    /// When that was; deletions are forgotten after a time.
    var changed: Int64
}

/// The place of a record among those that are parents of each other.
struct RecordPlace: Sendable, Hashable {
    var name: String
    var parent: String?
    var flags: StoredRecord.Flags
    /// Bytes that it takes in an answer, at most.
    var weight: Int
}

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

/// The changes of the log. All of them under the zone's lock.
protocol VisibilityWriting: VisibilityReading {
    /// Adds entries, or takes the place of those that there are.
    func putVisibility(_ entries: [StoredVisibility], in zone: StoredZone) throws
    /// Notes the last sequence of some shares.
    func putHead(_ sequence: Int64, ofShares numbers: Set<Int64>, in zone: StoredZone) throws
    /// Tells some guests anew of all that a share shows; with `gone`, also of what it has shown them.
    func tell(
        _ users: [String], of share: StoredShare, in zone: StoredZone, at entry: StoredVisibility, gone: Bool) throws
    /// Makes tokens of some guests below a sequence invalid, so that they read everything again.
    func putFloor(_ sequence: Int64, ofGuests users: [String], in zone: StoredZone) throws
    /// Forgets entries that were gone before a time, the oldest first, and raises the floors of the guests of their
    /// zones. Gives how many.
    func removeVisibility(goneBefore time: Int64, limit: Int) throws -> Int
    /// Removes a piece of the entries of shares that have ended; false when nothing is left.
    func removeEndedShares(limit: Int) throws -> Bool
}
