package import Foundation

/// Adds decimals without losing a digit, in any order.
///
/// Two numbers of very different scales may have no sum within a `Decimal`, but a later number may cancel one of them.
/// So partial sums that cannot be added to each other are kept. They are few: each has 38 digits out of the 290
/// possible.
package struct ExactDecimalSum {
    /// The largest number of significant digits of a sum.
    package static let maximumDigits = 38

    private var partials: [Decimal] = []
    private var count = 0

    /// Starts with no numbers.
    package init() {}

    /// Adds a number to the sum.
    package mutating func add(_ number: Decimal) {
        count += 1
        insert(number)
    }

    private mutating func insert(_ number: Decimal) {
        for (index, partial) in partials.enumerated() {
            guard let sum = Self.exact(partial, number) else { continue }
            partials[index] = sum
            return
        }
        partials.append(number)
    }

    /// The possible results of a sum.
    package enum Outcome {
        /// No number was added.
        case nothing
        /// The sum, and the count of its numbers.
        case sum(Decimal, count: Int)
        /// The sum has more digits than a decimal holds.
        case outOfRange
    }

    /// The sum of all numbers so far.
    package var outcome: Outcome {
        if count == 0 { return .nothing }
        var rest = partials.filter { !$0.isZero }
        while rest.count > 1 {
            guard let (first, second, sum) = Self.pair(of: rest) else { return .outOfRange }
            rest.remove(at: second)
            rest[first] = sum
            rest.removeAll(where: \.isZero)
        }
        let sum = rest.first ?? 0
        return sum.significantDigits > Self.maximumDigits ? .outOfRange : .sum(sum, count: count)
    }

    private static func pair(of numbers: [Decimal]) -> (Int, Int, Decimal)? {
        for first in numbers.indices {
            for second in numbers.indices.dropFirst(first + 1) {
                if let sum = exact(numbers[first], numbers[second]) { return (first, second, sum) }
            }
        }
        return nil
    }

    private static func exact(_ left: Decimal, _ right: Decimal) -> Decimal? {
        var (left, right, sum) = (left, right, Decimal())
        return NSDecimalAdd(&sum, &left, &right, .plain) == .noError && !sum.isNaN ? sum : nil
    }
}

extension Decimal {
    fileprivate var significantDigits: Int {
        let digits = canonicalText.utf8.filter { (48...57).contains($0) }
        return digits.drop { $0 == 48 }.reversed().drop { $0 == 48 }.count
    }
}
