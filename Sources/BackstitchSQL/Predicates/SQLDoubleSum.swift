package import Backstitch

/// The sum and the mean of doubles, as in ``DoubleSum``, in SQL that means the same in every database.
package struct SQLDoubleSum {
    private let value: SQLFragment

    /// Creates the expressions for some numbers.
    ///
    /// - Parameter value: The numbers; NULL in place of NaN.
    package init(of value: SQLFragment) { self.value = value }

    /// The SQL of the sum or mean.
    ///
    /// - Parameter unscaled: Multiplies an expression by 2^64. The result is infinity beyond the range of doubles, and
    ///   NULL in place of NaN.
    package func aggregate(_ aggregate: DictionaryColumn.Aggregate, unscaled: (SQLFragment) -> SQLFragment)
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

    /// Divides by 2^64 in two steps, because every database reads a number of ten digits in the same way.
    private static let scaling = " / 4294967296.0 / 4294967296.0"
    /// Multiplies by 2^64, in the same two steps.
    package static let unscaling = " * 4294967296.0 * 4294967296.0"
}
