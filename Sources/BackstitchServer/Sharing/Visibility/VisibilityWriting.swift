import CloudWire

/// The writes of the log of visible records. All of them need the zone's lock.
protocol VisibilityWriting: VisibilityReading {
    /// Adds entries, or replaces those of the same share and record.
    func putVisibility(_ entries: [StoredVisibility], in zone: StoredZone) throws
    /// Notes the last sequence of some shares.
    func putHead(_ sequence: Int64, ofShares numbers: Set<Int64>, in zone: StoredZone) throws
    /// Lists all visible records of a share again for some guests; with `gone`, also the records they have seen in it
    /// before.
    func tell(
        _ users: [String], of share: StoredShare, in zone: StoredZone, at entry: StoredVisibility, gone: Bool) throws
    /// Makes the tokens of some guests below a sequence invalid, so that they read everything again.
    func putFloor(_ sequence: Int64, ofGuests users: [String], in zone: StoredZone) throws
    /// Forgets the oldest entries that were gone before a time, and raises the floors of the guests in their zones.
    /// Returns the number of entries.
    func removeVisibility(goneBefore time: Int64, limit: Int) throws -> Int
    /// Removes a piece of the entries of ended shares; false when nothing is left.
    func removeEndedShares(limit: Int) throws -> Bool
}
