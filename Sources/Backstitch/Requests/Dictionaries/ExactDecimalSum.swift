package import Foundation

/// Adds decimals without losing a digit, whatever their order.
///
/// Numbers of far scales have no sum that a `Decimal` holds, and yet the next number may take one of them away. So
/// partial sums are kept that cannot be put together; they are few, as each has 38 digits of the 290 that there are.
package struct ExactDecimalSum {
    /// How many significant digits a sum may have.
    package static let maximumDigits = 38

    private var partials: [Decimal] = []
    private var count = 0

    /// Nothing yet.
    package init() {}

    /// Adds a number.
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

    /// How a sum ends.
    package enum Outcome {
        /// Nothing was added.
        case nothing
        /// The sum, and how many numbers it has.
        case sum(Decimal, count: Int)
        /// It has more digits than a decimal holds.
        case outOfRange
    }

    /// The sum of all numbers.
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
