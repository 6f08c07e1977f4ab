/// A place in the order of a query's answers: the fields that it sorts by, then the zone, then the record's name.
struct QueryPosition: Hashable, Comparable, Sendable {
    /// The bytes of the fields.
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

/// A piece of an index that a query reads.
struct QueryRange: Hashable, Sendable {
    /// The bytes that all keys of it begin with; what stands behind them is the order of the answers.
    var prefix: [UInt8]
    /// The first key.
    var lower: [UInt8]
    /// The first key that is not in it.
    var upper: [UInt8]

    init(_ prefix: [UInt8], _ lower: [UInt8]? = nil, _ upper: [UInt8]? = nil) {
        self.prefix = prefix
        self.lower = lower.map { prefix + $0 } ?? (prefix.isEmpty ? [0] : prefix)
        self.upper = upper.map { prefix + $0 } ?? QueryKey.after(prefix)
    }

    func contains(_ key: [UInt8]) -> Bool {
        !key.lexicographicallyPrecedes(lower) && key.lexicographicallyPrecedes(upper)
    }

    /// Where reading begins.
    ///
    /// - Parameter position: the end of the answer before; nil for the first.
    func span(after position: QueryPosition?, in zone: StoredZone, isBackward: Bool) -> QuerySpan {
        var span = QuerySpan(
            key: isBackward ? upper : lower, name: "", end: isBackward ? lower : upper, isBackward: isBackward)
        guard let position else { return span }
        let key = prefix + position.key
        let isWithin =
            isBackward ? key.lexicographicallyPrecedes(upper) : !key.lexicographicallyPrecedes(lower)
        guard isWithin else { return span }
        span.key = key
        if zone.name.utf8.elementsEqual(position.zone.utf8) {
            span.name = position.name
        } else if zone.name.utf8.lexicographicallyPrecedes(position.zone.utf8) {
            // The names of this zone come before that one's: past all that have the key.
            span.key.append(0)
        }
        return span
    }
}

/// The entries of an index between two places: forward from behind the first, below `end`; backward from before the
/// first, down to `end`.
struct QuerySpan: Hashable, Sendable {
    var key: [UInt8]
    var name: String
    var end: [UInt8]
    var isBackward: Bool
}
