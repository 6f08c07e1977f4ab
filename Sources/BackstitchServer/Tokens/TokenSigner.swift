import Crypto
import Foundation

/// Makes and checks the marks by which the server knows its own tokens, receipts and addresses again.
///
/// Each purpose has a key of its own, made from the storage's secret, so that a mark for one purpose is worth nothing
/// for another.
struct TokenSigner: Sendable {
    enum Purpose: String, Sendable, CaseIterable {
        case syncToken = "sync token"
        case upload = "asset upload"
        case receipt = "asset receipt"
        case download = "asset download"
    }

    private let keys: [Purpose: SymmetricKey]

    init(secret: [UInt8]) {
        let secret = SymmetricKey(data: secret)
        keys = Dictionary(
            uniqueKeysWithValues: Purpose.allCases.map { purpose in
                let info = Data(purpose.rawValue.utf8)
                return (purpose, HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, info: info, outputByteCount: 32))
            })
    }

    /// The first bytes of an HMAC-SHA256 over the parts. Each part is preceded by its length, so that no two lists of
    /// parts are the same message.
    func mark(_ purpose: Purpose, _ parts: [[UInt8]], count: Int = 18) -> [UInt8] {
        guard let key = keys[purpose] else { preconditionFailure("every purpose has a key") }
        var message: [UInt8] = []
        for part in parts {
            message += UInt64(part.count).bigEndianBytes
            message += part
        }
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: key).prefix(count))
    }

    func isGenuine(_ mark: some Collection<UInt8>, _ purpose: Purpose, _ parts: [[UInt8]]) -> Bool {
        constantTimeEquals(mark, self.mark(purpose, parts, count: mark.count))
    }
}

extension FixedWidthInteger {
    /// The bytes of the number, most significant first.
    var bigEndianBytes: [UInt8] {
        withUnsafeBytes(of: bigEndian) { Array($0) }
    }

    /// The number of these bytes, most significant first.
    init(bigEndianBytes bytes: some Collection<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}

extension Array where Element == UInt8 {
    /// Text without characters that an address would have to escape (RFC 4648 §5).
    var base64URL: String {
        let text = Data(self).base64EncodedData().lazy.filter { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: Array(text), as: UTF8.self)
    }

    init?(base64URL text: some StringProtocol) {
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
