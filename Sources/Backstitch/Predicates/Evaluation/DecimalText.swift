/// The order of numbers written as decimal text, exact at any length. Decimal attributes are compared by it, in memory
/// and by SQLite's collation.
package enum DecimalText {
    /// Compares two numbers by value: the result is negative, zero or positive.
    ///
    /// Takes digits with an optional sign, point and exponent, `inf` and `-inf`. Text that is no number sorts before
    /// all numbers, in the order of its bytes, so the order is total.
    package static func compare(_ left: String, _ right: String) -> Int {
        var (left, right) = (left, right)
        return left.withUTF8 { left in right.withUTF8 { right in compare(left, right) } }
    }

    /// Compares numbers given as UTF-8 bytes, in the same way.
    package static func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
        switch (Number(left), Number(right)) {
        case (let left?, let right?): left.compared(to: right)
        case (nil, _?): -1
        case (_?, nil): 1
        case (nil, nil): left.elementsEqual(right) ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
        }
    }

    private struct Number {
        private let bytes: UnsafeBufferPointer<UInt8>
        private var isNegative = false
        private var isInfinite = false
        /// The range from the first digit other than zero to the end of the digits; empty for zero.
        private var digits = 0..<0
        /// The exponent: the number is 0.d₁d₂… · 10^magnitude.
        private var magnitude = 0

        private static let point = UInt8(ascii: ".")

        init?(_ bytes: UnsafeBufferPointer<UInt8>) {
            self.bytes = bytes
            var index = 0
            if index < bytes.count, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
                isNegative = bytes[index] == UInt8(ascii: "-")
                index += 1
            }
            if bytes[index...].elementsEqual("inf".utf8) {
                isInfinite = true
                return
            }
            guard let end = readDigits(from: index) else { return nil }
            guard end < bytes.count else { return }
            guard bytes[end] | 0x20 == UInt8(ascii: "e"), let exponent = readExponent(from: end + 1) else { return nil }
            magnitude += exponent
        }

        /// Reads digits and at most one point. Returns the position after them, or nil if there is no digit.
        private mutating func readDigits(from start: Int) -> Int? {
            var (index, first, point): (Int, Int?, Int?) = (start, nil, nil)
            var hasDigit = false
            while index < bytes.count {
                let byte = bytes[index]
                if byte == Self.point, point == nil {
                    point = index
                } else if (48...57).contains(byte) {
                    hasDigit = true
                    if first == nil, byte != 48 { first = index }
                } else {
                    break
                }
                index += 1
            }
            guard hasDigit else { return nil }
            if let first {
                digits = first..<index
                let whole = point ?? index
                magnitude = whole > first ? whole - first : whole - first + 1
            }
            return index
        }

        /// Reads a signed exponent up to the end of the text; it is limited to a billion, which is beyond any number.
        private func readExponent(from start: Int) -> Int? {
            var index = start
            var sign = 1
            if index < bytes.count, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
                sign = bytes[index] == UInt8(ascii: "-") ? -1 : 1
                index += 1
            }
            guard index < bytes.count else { return nil }
            var exponent = 0
            for byte in bytes[index...] {
                guard (48...57).contains(byte) else { return nil }
                exponent = min(exponent * 10 + Int(byte - 48), 1_000_000_000)
            }
            return sign * exponent
        }

        private var sign: Int { digits.isEmpty && !isInfinite ? 0 : isNegative ? -1 : 1 }

        func compared(to other: Number) -> Int {
            guard sign == other.sign else { return sign < other.sign ? -1 : 1 }
            return sign * comparedBySize(to: other)
        }

        private func comparedBySize(to other: Number) -> Int {
            if isInfinite || other.isInfinite { return isInfinite == other.isInfinite ? 0 : isInfinite ? 1 : -1 }
            guard magnitude == other.magnitude else { return magnitude < other.magnitude ? -1 : 1 }
            var (left, right) = (digits.lowerBound, other.digits.lowerBound)
            while left < digits.upperBound || right < other.digits.upperBound {
                let (a, b) = (digit(&left), other.digit(&right))
                if a != b { return a < b ? -1 : 1 }
            }
            return 0
        }

        /// Returns the digit at `index`, and advances it; zero after the last digit.
        private func digit(_ index: inout Int) -> UInt8 {
            if index < digits.upperBound, bytes[index] == Self.point { index += 1 }
            guard index < digits.upperBound else { return 48 }
            defer { index += 1 }
            return bytes[index]
        }
    }
}
