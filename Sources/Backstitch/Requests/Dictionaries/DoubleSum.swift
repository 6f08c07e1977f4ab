/// The sum and the mean of doubles: the same in memory and in every store, whatever the order of the numbers.
///
/// A sum of finite numbers may leave the range of doubles and come back; databases differ in what they make of that.
/// So numbers beyond ``limit`` are added by themselves, divided by 2^64, and multiplied again at the end. A sum that is
/// beyond the range then is infinite; one of both infinities is no number, and counts as nil.
package struct DoubleSum {
    /// The largest number that is added as it is. Any number of rows of such numbers stays within the range.
    package static let limit = 1e280

    private var small = 0.0
    private var large: Double?
    private var count = 0

    /// Nothing yet.
    package init() {}

    /// Adds a number that is one.
    package mutating func add(_ number: Double) {
        if number.magnitude > Self.limit { large = (large ?? 0) + number * 0x1p-64 } else { small += number }
        count += 1
    }

    /// The sum; nil when nothing was added, or the sum is no number.
    package var sum: Double? { result(1) }

    /// The mean; nil where the sum is.
    package var mean: Double? { result(Double(count)) }

    private func result(_ divisor: Double) -> Double? {
        guard count > 0 else { return nil }
        guard let large else { return small / divisor }
        let result = (large + small * 0x1p-64) / divisor * 0x1p64
        return result.isNaN ? nil : result
    }
}
