/// A page of the changes of one of several zones.
package struct ZonePage: Sendable {
    /// The number of the zone in the store.
    package var zone: Int64
    /// The page of that zone's changes.
    package var page: FetchedPage

    /// Creates a page with the number of its zone.
    package init(zone: Int64, _ page: FetchedPage) { (self.zone, self.page) = (zone, page) }
}
