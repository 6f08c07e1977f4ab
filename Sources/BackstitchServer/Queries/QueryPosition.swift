/// A place in the order of a query's answers: the fields to sort by, then the zone, then the record's name.
struct QueryPosition: Hashable, Comparable, Sendable {
    /// The fields to sort by, as bytes of ``QueryKey``.
    var key: [UInt8]
    var zone: String
    var name: String

    static func < (left: QueryPosition, right: QueryPosition) -> Bool {
        if left.key != right.key { return left.key.lexicographicallyPrecedes(right.key) }
        if !left.zone.utf8.elementsEqual(right.zone.utf8) {
            return left.zone.utf8.lexicographicallyPrecedes(right.zone.utf8)
        }
        return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }

    static func == (left: QueryPosition, right: QueryPosition) -> Bool {
        left.key == right.key && left.zone.utf8.elementsEqual(right.zone.utf8)
            && left.name.utf8.elementsEqual(right.name.utf8)
    }
}
