/// A set of Unicode scalar values, as rising ranges that do not touch.
package struct ScalarSet: Hashable, Sendable {
    /// The ranges, in rising order.
    package private(set) var ranges: [ClosedRange<UInt32>]

    /// Makes the set of all values in these ranges.
    package init(_ ranges: [ClosedRange<UInt32>]) {
        self.ranges = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = self.ranges.last, range.lowerBound <= last.upperBound + 1 {
                self.ranges[self.ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                self.ranges.append(range)
            }
        }
    }

    /// Whether the set has the value. Complexity: O(log ranges).
    package func contains(_ value: UInt32) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(value)
    }

    /// Returns the values of both sets.
    package func union(_ other: ScalarSet) -> ScalarSet { ScalarSet(ranges + other.ranges) }

    /// All scalar values outside the set.
    package var inverted: ScalarSet {
        var rest: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { rest.append(next...range.lowerBound - 1) }
            next = range.upperBound + 1
        }
        if next <= 0x10FFFF { rest.append(next...0x10FFFF) }
        return ScalarSet(rest)
    }

    /// The set with the lower-case mapping of each value added.
    package var withLowercase: ScalarSet {
        let mapped = TextFolding.lowercasePairs.filter { contains($0.scalar.value) }
        return ScalarSet(ranges + mapped.map { $0.lowercase.value...$0.lowercase.value })
    }

    /// The ASCII digits `0` to `9`.
    package static let digits = ScalarSet([0x30...0x39])
    /// ASCII letters, digits and the underscore.
    package static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    /// Space, and the ASCII controls from tab to carriage return.
    package static let space = ScalarSet([0x09...0x0D, 0x20...0x20])
    /// The scalars that end a line: line feed to carriage return, next line, line and paragraph separator.
    package static let lineEnds = ScalarSet([0x0A...0x0D, 0x85...0x85, 0x2028...0x2029])
}
