package import Backstitch
import BackstitchSupport
import Foundation

/// Conversion between record names and the keys of their objects.
package enum RecordName {
    /// Returns the key for a record name, and whether the name is foreign. A foreign name is not the upper-case UUID of
    /// a key, so the key cannot be converted back to it. Its key is a UUID of version 8 (RFC 9562 §5.8), from the
    /// SHA-256 of zone and name.
    package static func key(of name: String, zone: String) -> (key: ObjectKey, isForeign: Bool) {
        if let key = ObjectKey(canonical: name) { return (key, false) }
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

    /// Returns whether a key may belong to a foreign name; only then a look-up is needed.
    package static func mayBeForeign(_ key: ObjectKey) -> Bool { key.high >> 12 & 0xF == 8 }
}

extension RecordState {
    /// The name of the object's record.
    var recordName: String { foreignName ?? objectID.key.uuidString }
}
