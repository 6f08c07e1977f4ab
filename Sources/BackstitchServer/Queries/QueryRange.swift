/// A piece of an index, read by a query.
struct QueryRange: Hashable, Sendable {
    /// The common first bytes of all its keys. The bytes after it give the order of the answers.
    var prefix: [UInt8]
    /// The first key of the piece.
    var lower: [UInt8]
    /// The first key after the piece.
    var upper: [UInt8]

    init(_ prefix: [UInt8], _ lower: [UInt8]? = nil, _ upper: [UInt8]? = nil) {
        self.prefix = prefix
        self.lower = lower.map { prefix + $0 } ?? (prefix.isEmpty ? [0] : prefix)
        self.upper = upper.map { prefix + $0 } ?? QueryKey.after(prefix)
    }

    /// Whether the piece has a key.
    func contains(_ key: [UInt8]) -> Bool {
        !key.lexicographicallyPrecedes(lower) && key.lexicographicallyPrecedes(upper)
    }

    /// The part of the piece that is still to be read.
    ///
    /// - Parameter position: The end of the answer before; nil for the first answer.
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
            // All names of this zone come before the other zone's, so the span begins after all entries with the key.
            span.key.append(0)
        }
        return span
    }
}
