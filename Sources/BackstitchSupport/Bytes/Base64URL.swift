import Foundation

extension [UInt8] {
    /// The bytes as base64 text for addresses: no character needs an escape (RFC 4648 §5).
    package var base64URL: String {
        let text = Data(self).base64EncodedData().lazy.filter { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: Array(text), as: UTF8.self)
    }

    /// Decodes text of this alphabet or of plain base64; nil for any other text.
    package init?(base64URL text: some StringProtocol) {
        var standard = text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        standard += Array(repeating: UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
        guard let data = Data(base64Encoded: Data(standard)) else { return nil }
        self = Array(data)
    }
}
