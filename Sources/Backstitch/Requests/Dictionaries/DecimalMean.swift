package import Foundation

/// The mean of decimals: the same in memory and in every store.
package enum DecimalMean {
    /// The number of digits after the point.
    package static let scale = 20

    /// Divides `sum` by `count`, rounded to ``scale`` digits after the point.
    package static func of(_ sum: Decimal, _ count: Int) -> Decimal {
        var (sum, count, quotient, rounded) = (sum, Decimal(count), Decimal(), Decimal())
        // A quotient too small for a decimal is zero with only 20 digits after the point.
        guard NSDecimalDivide(&quotient, &sum, &count, .plain) != .underflow, !quotient.isNaN else { return 0 }
        NSDecimalRound(&rounded, &quotient, scale, .plain)
        return rounded
    }
}
