/// The remaining work in a further zone.
package struct ZoneWork: Sendable, Hashable {
    /// The number of the zone in the store.
    package var zone: Int64
    /// Whether the zone and its subscription were created.
    package var isSetUp: Bool
    /// Whether the present state of the zone is unknown.
    package var isUnread: Bool
    /// Whether the server is known to have unread changes.
    package var hasNews: Bool
    /// Whether changes wait to be sent.
    package var hasUnsent: Bool
    /// Whether the server has reported that the zone is gone.
    package var isGone: Bool

    /// Whether there is nothing to do.
    package var isDone: Bool { isSetUp && !isUnread && !hasNews && !hasUnsent && !isGone }

    /// Creates the list of work in one zone.
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

    /// The work in the main zone after new changes to send have appeared there.
    package static let mainWithUnsent = Self(zone: 0, isSetUp: true, isUnread: false, hasNews: false, hasUnsent: true)
}
