import CloudWire

/// The writes of shares and of shared zones. All of them need the zone's lock.
protocol ShareWriting: ShareReading, VisibilityWriting {
    /// Adds a share, or replaces the stored one.
    ///
    /// - Parameter before: The share as read under the zone's lock. Only differences are written.
    func putShare(_ share: StoredShare, replacing before: StoredShare?, of zone: StoredZone) throws
    /// Removes a share with its participants.
    func removeShare(_ share: StoredShare, of zone: StoredZone) throws
    /// Adds a zone to a user's shared database. The following commit counts as its first change.
    func grantAccess(to zone: StoredZone, of zoneOwner: String, in owner: StoredOwner) throws
    /// Ends the access of users. The following commit counts as a change of their databases.
    func endAccess(to zone: StoredZone, ofUsers users: [String]) throws
    /// Counts a commit as a change in the databases of the zone's guests, including those whose access ends with it.
    ///
    /// - Parameter users: The guests; nil for all of them.
    func advanceGuests(of zone: StoredZone, users: [String]?) throws
}
