import BackstitchSupport

/// The parameters in the query of a URL.
///
/// Unlike in forms, `+` means itself: web auth tokens are base64, and some clients send them unescaped.
package struct QueryString: Sendable {
    private var values: [ByteText: String] = [:]

    /// Reads the parameters from a URL's query.
    ///
    /// - Returns: nil if a percent sign is not followed by two hexadecimal digits, or the text is not UTF-8.
    package init?(_ text: some StringProtocol) {
        for pair in text.split(atByte: UInt8(ascii: "&")) {
            let parts = pair.split(atByte: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts[0].percentDecoded.map({ ByteText($0) }) else { return nil }
            guard let value = parts.count > 1 ? parts[1].percentDecoded : "" else { return nil }
            // The first value counts, so text appended to an address cannot change the caller.
            if values[name] == nil { values[name] = value }
        }
    }

    /// These parameters, completed by others with different names.
    func over(_ others: QueryString) -> QueryString {
        var result = self
        result.values.merge(others.values) { own, _ in own }
        return result
    }

    /// The value of a parameter; nil if there is none of this name.
    package subscript(_ name: String) -> String? { values[ByteText(name)] }
}

extension StringProtocol {
    /// The text with each `%XX` replaced by its byte; nil for a malformed `%`, or if the result is not UTF-8.
    var percentDecoded: String? {
        guard utf8.contains(UInt8(ascii: "%")) else { return String(self) }
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexDigit, let low = rest.popFirst()?.hexDigit else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var hexDigit: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}
