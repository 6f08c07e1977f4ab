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
