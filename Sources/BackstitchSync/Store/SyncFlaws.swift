/// Bugs on purpose, by which tests prove that the simulator finds them. Nothing but ``SyncParts`` takes them, and no
/// option leads there.
package struct SyncFlaws: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The token of a page is stored before the page, in a transaction of its own.
    package static let storesTokenFirst = SyncFlaws(rawValue: 1 << 0)
    /// A push is acknowledged before its change tags are stored, in a transaction of its own.
    package static let acknowledgesBeforeTag = SyncFlaws(rawValue: 1 << 1)
    /// A record whose reference leads to nothing is not stored.
    package static let dropsOrphans = SyncFlaws(rawValue: 1 << 2)
    /// An acknowledgement takes what was changed while the push was under way for sent.
    package static let acknowledgesInFlightEdits = SyncFlaws(rawValue: 1 << 3)
    /// A full fetch does not look for what has gone from the server, and sends it there again.
    package static let resurrectsMissing = SyncFlaws(rawValue: 1 << 4)
    /// Only notifications begin a pull; no timer does.
    package static let trustsNotifications = SyncFlaws(rawValue: 1 << 5)
}
