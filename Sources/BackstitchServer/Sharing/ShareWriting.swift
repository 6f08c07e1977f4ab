import CloudWire

/// The changes of a storage that are about shares. All of them under the zone's lock.
protocol ShareWriting: ShareReading, VisibilityWriting {
    /// Adds a share of a zone, or takes the place of what is kept of it.
    ///
    /// - Parameter before: The share as it was read under the zone's lock: only what differs is written.
    func putShare(_ share: StoredShare, replacing before: StoredShare?, of zone: StoredZone) throws
    /// Removes a share of a zone with its participants.
    func removeShare(_ share: StoredShare, of zone: StoredZone) throws
    /// Puts a zone into a user's database of shared zones. The commit, which must follow, counts as a change of it.
    func grantAccess(to zone: StoredZone, of zoneOwner: String, in owner: StoredOwner) throws
    /// Ends the access of users. The commit, which must follow, counts as a change of their databases too.
    func endAccess(to zone: StoredZone, ofUsers users: [String]) throws
    /// Counts a commit of a zone as a change of the databases of users with whom it is, or was until now, shared.
    ///
    /// - Parameter users: Nil for all of them.
    func advanceGuests(of zone: StoredZone, users: [String]?) throws
}
