package import Backstitch
import Crypto
import Foundation

/// Names of records, and the keys of the objects that they stand for.
package enum RecordName {
    /// The key of the record of that name, and whether the name is foreign: not the upper-case UUID of a key, so that
    /// the key cannot give it back. A foreign name's key is a UUID of version 8 (RFC 9562 §5.8), made of the SHA-256 of
    /// zone and name.
    package static func key(of name: String, zone: String) -> (key: ObjectKey, isForeign: Bool) {
        if let key = canonicalKey(name) { return (key, false) }
        var hash = SHA256()
        hash.update(data: Array(zone.utf8) + [0] + Array(name.utf8))
        let digest = hash.finalize()
        let key = digest.withUnsafeBytes { bytes in
            let high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
            let low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            return ObjectKey(
                high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000, low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
        }
        return (key, true)
    }

    /// Whether a key may stand for a foreign name; only then it needs to be looked up.
    package static func mayBeForeign(_ key: ObjectKey) -> Bool { key.high >> 12 & 0xF == 8 }

    /// The key whose upper-case UUID the text is; nil for any other text, lower-case UUIDs among them.
    static func canonicalKey(_ text: String) -> ObjectKey? {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count == 36 else { return nil }
            var halves: (UInt64, UInt64) = (0, 0)
            var digits = 0
            for (index, byte) in bytes.enumerated() {
                if index == 8 || index == 13 || index == 18 || index == 23 {
                    guard byte == UInt8(ascii: "-") else { return nil }
                    continue
                }
                let digit: UInt8
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
                case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
                default: return nil
                }
                if digits < 16 {
                    halves.0 = halves.0 << 4 | UInt64(digit)
                } else {
                    halves.1 = halves.1 << 4 | UInt64(digit)
                }
                digits += 1
            }
            return ObjectKey(high: halves.0, low: halves.1)
        }
    }
}
