import Backstitch
import Foundation

/// Adds decimals without losing a digit: an aggregate for databases without decimals of their own.
package final class DecimalSum {
    /// The error message for a sum that has more digits than a decimal.
    package static let outOfRange = "decimal overflow"

    private var total = ExactDecimalSum()
    private var hasOther = false

    /// Creates an empty sum.
    package init() {}

    /// Adds a number in its canonical text. A text that is not a number puts the sum out of range.
    package func add(_ text: String) {
        if let number = Decimal(canonicalText: text) { total.add(number) } else { hasOther = true }
    }

    /// Whether the sum has more digits than a decimal.
    package var isOutOfRange: Bool {
        if case .outOfRange = total.outcome { return true }
        return hasOther
    }

    /// The sum; nil when no number was added, or the sum is out of range.
    package var sum: String? {
        guard case .sum(let sum, _) = total.outcome else { return nil }
        return sum.canonicalText
    }

    /// The mean; nil when no number was added, or the sum is out of range.
    package var average: String? {
        guard case .sum(let sum, let count) = total.outcome else { return nil }
        return DecimalMean.of(sum, count).canonicalText
    }
}
