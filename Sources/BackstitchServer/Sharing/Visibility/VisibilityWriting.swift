import CloudWire

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
