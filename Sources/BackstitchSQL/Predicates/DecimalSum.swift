import Backstitch
import Foundation

/// Adds decimals without losing a digit: an aggregate for databases that have no decimals of their own.
package final class DecimalSum {
    /// The error message for a sum that has more digits than a decimal.
    package static let outOfRange = "decimal overflow"

    private var total = Decimal(0)
    private var count = 0
    /// Whether a digit was lost.
    package private(set) var isOutOfRange = false

    /// Nothing yet.
    package init() {}

    /// Adds a number in its canonical text.
    package func add(_ text: String) {
        guard var number = Decimal(canonicalText: text) else {
            isOutOfRange = true
            return
        }
        var before = total
        if NSDecimalAdd(&total, &before, &number, .plain) != .noError { isOutOfRange = true }
        count += 1
    }

    /// The sum; nil when nothing was added.
    package var sum: String? { count == 0 ? nil : total.canonicalText }

    /// The mean; nil when nothing was added.
    package var average: String? { count == 0 ? nil : DecimalMean.of(total, count).canonicalText }
}
