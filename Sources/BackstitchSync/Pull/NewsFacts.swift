import Backstitch

/// The knowledge of this device about a piece of news and its object. It decides the verdict. To find it, nothing is
/// written.
struct NewsFacts: Equatable {
    /// The relation of a record in this zone to its object in another one.
    enum Elsewhere: Equatable, CaseIterable {
        /// The object has moved to this zone.
        case explained
        /// This device has made the record, to move the object.
        case ownCopy
        case unexplained
    }

    /// Whether the server has deleted the record.
    var isDeletion = false
    /// Set if the object is in another zone.
    var elsewhere: Elsewhere?
    /// Whether the record is about to be deleted, because its object is not in this zone.
    var isLeftover = false
    /// Whether a deleted record may be in another zone now.
    var mayHaveMoved = false
    /// Set if the version is the known one.
    var knownTag: KnownTag?
    /// The unsent change of the object.
    var change: OutboxEntry.Kind?
    /// Whether the unsent deletion was made for this version.
    var isDeletedVersion = false
    /// Whether the zone's owner has removed the object, together with its unsent changes.
    var losesChanges = false
    /// Whether the object was only removed on this device.
    var isAway = false
    /// Whether the object was deleted before its insert arrived.
    var isWithdrawn = false

    /// The first row of the table in `Verdict.swift` that fits.
    var verdict: Verdict {
        if isDeletion, elsewhere != nil { return .leave }
        if isLeftover || elsewhere == .ownCopy { return .echo }
        if elsewhere == .unexplained { return .park }
        if mayHaveMoved { return .keep }
        if knownTag == .skip { return .echo }
        if isDeletedVersion { return .stand }
        if losesChanges { return .takeBack }
        if change != nil { return .merge }
        if isAway { return .follow }
        if isWithdrawn { return .withdraw }
        return isDeletion ? .delete : .apply
    }
}
