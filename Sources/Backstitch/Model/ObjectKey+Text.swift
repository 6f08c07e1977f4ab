// Written by hand for speed: each record sent or read is named by its key, and Foundation prints and scans UUIDs by
// format strings.
extension ObjectKey {
    private static let textLength = 36

    /// The key as upper-case UUID text, the form of record names.
    public var uuidString: String {
        String(unsafeUninitializedCapacity: Self.textLength) { text in
            var position = 0
            for digit in 0..<32 {
                if Self.hasHyphen(before: digit) {
                    text[position] = UInt8(ascii: "-")
                    position += 1
                }
                let half = digit < 16 ? high : low
                let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - digit % 16 * 4)) & 0xF
                text[position] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
                position += 1
            }
            return position
        }
    }

    /// Reads the key from UUID text, in either case; nil for any other text.
    public init?(uuidString text: String) { self.init(text, takesLowercase: true) }

    /// Reads the key from its ``uuidString``; nil for any other text, including lower-case UUIDs.
    package init?(canonical text: String) { self.init(text, takesLowercase: false) }

    private init?(_ text: String, takesLowercase: Bool) {
        var text = text
        let halves: (high: UInt64, low: UInt64)? = text.withUTF8 { bytes in
            guard bytes.count == Self.textLength else { return nil }
            var halves: (high: UInt64, low: UInt64) = (0, 0)
            var position = 0
            for digit in 0..<32 {
                if Self.hasHyphen(before: digit) {
                    guard bytes[position] == UInt8(ascii: "-") else { return nil }
                    position += 1
                }
                guard let value = Self.value(of: bytes[position], takesLowercase) else { return nil }
                position += 1
                if digit < 16 { halves.high = halves.high << 4 | value } else { halves.low = halves.low << 4 | value }
            }
            return halves
        }
        guard let halves else { return nil }
        self.init(high: halves.high, low: halves.low)
    }

    private static func hasHyphen(before digit: Int) -> Bool { digit == 8 || digit == 12 || digit == 16 || digit == 20 }

    private static func value(of byte: UInt8, _ takesLowercase: Bool) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        case UInt8(ascii: "a")...UInt8(ascii: "f") where takesLowercase: UInt64(byte - UInt8(ascii: "a") + 10)
        default: nil
        }
    }
}
