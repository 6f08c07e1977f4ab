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
