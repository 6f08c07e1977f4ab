extension Sequence<UInt8> {
    /// The bytes as lower-case hexadecimal digits, two a byte.
    package var hexadecimal: String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * underestimatedCount)
        for byte in self {
            text.append(Self.digit(byte >> 4))
            text.append(Self.digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

extension [UInt8] {
    /// Decodes hexadecimal digits of either case, two a byte; nil for any other text.
    package init?(hexadecimal text: some StringProtocol) {
        self = []
        reserveCapacity(text.utf8.count / 2)
        var first: UInt8?
        for character in text.utf8 {
            guard let value = Self.value(of: character) else { return nil }
            if let high = first { append(high << 4 | value) }
            first = first == nil ? value : nil
        }
        guard first == nil else { return nil }
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
