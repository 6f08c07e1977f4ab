extension JSONReader {
    /// A number in the message, with the results of one pass over its digits.
    struct NumberToken {
        let start: Int
        let end: Int
        /// Whether it has neither fraction nor exponent.
        let isInteger: Bool
        let isNegative: Bool
        /// All digits without the point; meaningless if `digitsOverflow` is true.
        let digits: UInt64
        let digitsOverflow: Bool
        /// The power of ten to multiply `digits` by.
        let exponent: Int
    }

    mutating func readInt64() throws(WireCodingError) -> Int64 {
        let token = try numberToken("an integer")
        guard token.isInteger else {
            throw wrongKind("expected an integer, found a number with a fraction or exponent", at: token.start)
        }
        guard let value = int64(token) else {
            throw wrongKind("the number does not fit a signed 64-bit integer", at: token.start)
        }
        return value
    }

    mutating func readDouble() throws(WireCodingError) -> Double {
        let token = try numberToken("a number")
        guard let value = double(token) else {
            throw wrongKind("the number does not fit a 64-bit floating-point number", at: token.start)
        }
        return value
    }

    /// Reads a count, for instance a limit: an integer that is not negative.
    mutating func readCount() throws(WireCodingError) -> Int {
        skipWhitespace()
        let offset = position
        guard let value = Int(exactly: try readInt64()), value >= 0 else {
            throw wrongKind("expected a number of zero or more", at: offset)
        }
        return value
    }

    /// Reads true or false. Also accepts 1 and 0, because some clients send them.
    mutating func readBool() throws(WireCodingError) -> Bool {
        skipWhitespace()
        switch peek() {
        case UInt8(ascii: "t"):
            try literal("true")
            return true
        case UInt8(ascii: "f"):
            try literal("false")
            return false
        case UInt8(ascii: "0"), UInt8(ascii: "1"):
            let token = try scanNumber()
            guard token.isInteger, token.digits <= 1, !token.digitsOverflow else {
                throw wrongKind("expected true or false", at: token.start)
            }
            return token.digits == 1
        default: throw try mismatch("true or false")
        }
    }

    func int64(_ token: NumberToken) -> Int64? {
        guard token.isInteger, !token.digitsOverflow else { return nil }
        if token.isNegative {
            guard token.digits <= UInt64(Int64.max) + 1 else { return nil }
            return Int64(truncatingIfNeeded: 0 &- token.digits)
        }
        return Int64(exactly: token.digits)
    }

    /// The nearest double. Nil if it would be infinite, or if a number other than zero would become zero.
    func double(_ token: NumberToken) -> Double? {
        // Clinger 1990: digits up to 2^53 and a power of ten up to 22 are both exact, so one operation rounds once.
        if !token.digitsOverflow, token.digits <= 1 << 53, token.exponent >= -22, token.exponent <= 22 {
            let digits = Double(token.digits)
            let power = Self.powersOfTen[abs(token.exponent)]
            let value = token.exponent < 0 ? digits / power : digits * power
            return token.isNegative ? -value : value
        }
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[token.start..<token.end]), as: UTF8.self)
        guard let value = Double(text), value.isFinite else { return nil }
        return value == 0 && (token.digits != 0 || token.digitsOverflow) ? nil : value
    }

    mutating func numberToken(_ expected: String) throws(WireCodingError) -> NumberToken {
        skipWhitespace()
        guard let byte = peek(), byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) else {
            throw try mismatch(expected)
        }
        return try scanNumber()
    }

    /// Scans a number by the grammar of RFC 8259 §6.
    mutating func scanNumber() throws(WireCodingError) -> NumberToken {
        skipWhitespace()
        let start = position
        var digits: UInt64 = 0
        var overflow = false
        let isNegative = peek() == UInt8(ascii: "-")
        if isNegative { position &+= 1 }
        guard isDigit() else { throw syntax("expected a value") }
        if bytes[position] == 0x30 {
            position &+= 1
            if isDigit() { throw syntax("a number must not start with a zero") }
        } else {
            scanDigits(into: &digits, &overflow)
        }
        var isInteger = true
        var exponent = 0
        if peek() == UInt8(ascii: ".") {
            position &+= 1
            guard isDigit() else { throw syntax("expected a digit after the point") }
            let first = position
            scanDigits(into: &digits, &overflow)
            exponent = first - position
            isInteger = false
        }
        if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
            exponent += try scanExponent()
            isInteger = false
        }
        return NumberToken(
            start: start, end: position, isInteger: isInteger, isNegative: isNegative, digits: digits,
            digitsOverflow: overflow, exponent: exponent)
    }

    private mutating func scanExponent() throws(WireCodingError) -> Int {
        position &+= 1
        let isNegative = peek() == UInt8(ascii: "-")
        if isNegative || peek() == UInt8(ascii: "+") { position &+= 1 }
        guard isDigit() else { throw syntax("expected a digit in the exponent") }
        var digits: UInt64 = 0
        var overflow = false
        scanDigits(into: &digits, &overflow)
        // Beyond this the value is zero or infinite for any digits before it. The slow path decides.
        let magnitude = overflow ? 100_000 : Int(min(digits, 100_000))
        return isNegative ? -magnitude : magnitude
    }

    @inline(__always)
    private func isDigit() -> Bool {
        position < bytes.count && bytes[position] &- 0x30 < 10
    }

    @inline(__always)
    /// Scans digits into a number, and notes an overflow.
    private mutating func scanDigits(into digits: inout UInt64, _ overflow: inout Bool) {
        while isDigit() {
            let (product, tooLarge) = digits.multipliedReportingOverflow(by: 10)
            let (sum, carried) = product.addingReportingOverflow(UInt64(bytes[position] &- 0x30))
            overflow = overflow || tooLarge || carried
            digits = sum
            position &+= 1
        }
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
