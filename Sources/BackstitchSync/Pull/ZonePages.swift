// The parts of a pull of several zones together.

/// The point of a zone's feed from which it is read.
package struct ZoneCursor: Sendable, Hashable {
    /// The number that the store has given the zone.
    package var zone: Int64
    /// The token up to which one has read; nil for the beginning.
    package var token: String?
    /// Whether a pull begins here, which then asks how many records there are.
    package var isBeginning: Bool

    /// A point.
    package init(zone: Int64, token: String?, isBeginning: Bool = false) {
        (self.zone, self.token, self.isBeginning) = (zone, token, isBeginning)
    }
}

/// The zones that can be read together, and from where.
package struct OpenedZones: Sendable {
    /// The points at which they stand. A zone that was asked for and is not among them is read by itself.
    package var cursors: [ZoneCursor]
    /// Whether another process has synced the store since this one last looked, see ``PullStart``.
    package var comesAfterOthers: Bool

    /// Opened zones.
    package init(_ cursors: [ZoneCursor], comesAfterOthers: Bool = false) {
        (self.cursors, self.comesAfterOthers) = (cursors, comesAfterOthers)
    }
}

/// A page of the changes of one of several zones.
package struct ZonePage: Sendable {
    /// The number that the store has given the zone.
    package var zone: Int64
    /// The page.
    package var page: FetchedPage

    /// A page of a zone.
    package init(zone: Int64, _ page: FetchedPage) { (self.zone, self.page) = (zone, page) }
}

/// The answer about several zones. One that was asked about and is in neither list is read by itself.
package struct FetchedPages: Sendable {
    /// The pages that came, of each zone one.
    package var pages: [ZonePage]
    /// Zones for which the answer had no room: they are asked about again from the same point.
    package var unanswered: [Int64]

    /// Pages.
    package init(_ pages: [ZonePage], unanswered: [Int64] = []) { (self.pages, self.unanswered) = (pages, unanswered) }
}

/// The changes that the pages of several zones have made here, in one transaction.
package struct AppliedPages: Sendable {
    /// The changes by the zones' numbers, in the order of the pages. A zone whose page is not among them is read by
    /// itself.
    package var zones: [(zone: Int64, applied: AppliedChanges)]

    /// Changes.
    package init(_ zones: [(zone: Int64, applied: AppliedChanges)]) { self.zones = zones }
}
