package import Foundation

/// The mean of decimals: the same in memory and in every store.
package enum DecimalMean {
    /// Digits after the point.
    package static let scale = 20

    /// `sum` divided by `count`, rounded to ``scale`` digits after the point.
    package static func of(_ sum: Decimal, _ count: Int) -> Decimal {
        var (sum, count, quotient, rounded) = (sum, Decimal(count), Decimal(), Decimal())
        // Too small for a decimal, as it may be, it is none with so few digits after the point.
        guard NSDecimalDivide(&quotient, &sum, &count, .plain) != .underflow, !quotient.isNaN else { return 0 }
        NSDecimalRound(&rounded, &quotient, scale, .plain)
        return rounded
    }
}
