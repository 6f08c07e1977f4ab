/// A point in a zone's feed, as the start of a request.
package struct ZoneCursor: Sendable, Hashable {
    /// The number of the zone in the store.
    package var zone: Int64
    /// The token of the last read state; nil for the beginning.
    package var token: String?
    /// Whether a pull begins here; it then asks for the number of records.
    package var isBeginning: Bool

    /// Creates a point in a zone's feed.
    package init(zone: Int64, token: String?, isBeginning: Bool = false) {
        (self.zone, self.token, self.isBeginning) = (zone, token, isBeginning)
    }
}
