/// The sum and the mean of doubles: the same in memory and in every store, for every order of the numbers.
///
/// A sum of finite numbers may leave the range of doubles and come back, and databases treat that case differently. So
/// numbers beyond ``limit`` are added separately, divided by 2^64, and multiplied again at the end. If the sum is then
/// beyond the range, it is infinite. A sum of both infinities is NaN, and counts as nil.
package struct DoubleSum {
    /// The largest number added directly. A sum of such numbers stays in range for any number of rows.
    package static let limit = 1e280

    private var small = 0.0
    private var large: Double?
    private var count = 0

    /// Starts with no numbers.
    package init() {}

    /// Adds a number that is not NaN.
    package mutating func add(_ number: Double) {
        if number.magnitude > Self.limit { large = (large ?? 0) + number * 0x1p-64 } else { small += number }
        count += 1
    }

    /// The sum; nil if nothing was added, or the sum is NaN.
    package var sum: Double? { result(1) }

    /// The mean; nil whenever the sum is nil.
    package var mean: Double? { result(Double(count)) }

    private func result(_ divisor: Double) -> Double? {
        guard count > 0 else { return nil }
        guard let large else { return small / divisor }
        let result = (large + small * 0x1p-64) / divisor * 0x1p64
        return result.isNaN ? nil : result
    }
}
