package import Backstitch

/// The sum and the mean of doubles as ``DoubleSum`` has them, in SQL that every database reads alike.
package struct SQLDoubleSum {
    private let value: SQLFragment

    /// - Parameter value: The numbers: NULL for one that is none.
    package init(of value: SQLFragment) { self.value = value }

    /// The sum or mean.
    ///
    /// - Parameter unscaled: Multiplies an expression by 2^64: infinity where that is beyond the range, NULL for one
    ///   that is no number.
    package func aggregate(_ aggregate: FetchedProperty.Aggregate, unscaled: (SQLFragment) -> SQLFragment)
        -> SQLFragment
    {
        let magnitude = "abs(" + value + ")", scaled = value + Self.scaling
        let small = "sum(CASE WHEN " + magnitude + " <= \(DoubleSum.limit) THEN " + value + " END)"
        let large = "sum(CASE WHEN " + magnitude + " > \(DoubleSum.limit) THEN " + scaled + " END)"
        var total = "(" + large + " + coalesce(" + small + ", 0)\(Self.scaling))"
        var plain = small
        if aggregate == .average {
            let count = " / NULLIF(count(" + value + "), 0)"
            total = total + count
            plain = plain + count
        }
        let found = "CASE WHEN " + large + " IS NULL THEN " + plain
        return found + " ELSE " + unscaled("(" + total + ")") + " END"
    }

    /// Divides by 2^64, in two steps: a number of ten digits is read alike everywhere.
    private static let scaling = " / 4294967296.0 / 4294967296.0"
    /// Multiplies by it.
    package static let unscaling = " * 4294967296.0 * 4294967296.0"
}
