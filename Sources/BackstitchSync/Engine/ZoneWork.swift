/// The work that is left in a zone beside the main one.
package struct ZoneWork: Sendable, Hashable {
    /// The number that the store has given the zone.
    package var zone: Int64
    /// Whether zone and subscription were made.
    package var isSetUp: Bool
    /// Whether nothing is known of the zone as it is now.
    package var isUnread: Bool
    /// Whether the server has something that is not here, as far as is known.
    package var hasNews: Bool
    /// Whether something waits to be sent.
    package var hasUnsent: Bool
    /// Whether the server has said that the zone is gone.
    package var isGone: Bool

    /// Whether there is nothing to do.
    package var isDone: Bool { isSetUp && !isUnread && !hasNews && !hasUnsent && !isGone }

    /// Work of all these kinds.
    package init(
        zone: Int64, isSetUp: Bool, isUnread: Bool, hasNews: Bool, hasUnsent: Bool, isGone: Bool = false
    ) {
        self.zone = zone
        self.isSetUp = isSetUp
        self.isUnread = isUnread
        self.hasNews = hasNews
        self.hasUnsent = hasUnsent
        self.isGone = isGone
    }

    /// The main zone, where something has come to be sent since it was worked in.
    package static let mainWithUnsent = Self(zone: 0, isSetUp: true, isUnread: false, hasNews: false, hasUnsent: true)
}
