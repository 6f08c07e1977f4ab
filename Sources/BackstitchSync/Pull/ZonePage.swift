/// A page of the changes of one of several zones.
package struct ZonePage: Sendable {
    /// The number that the store has given the zone.
    package var zone: Int64
    /// The page.
    package var page: FetchedPage

    /// A page of a zone.
    package init(zone: Int64, _ page: FetchedPage) { (self.zone, self.page) = (zone, page) }
}
