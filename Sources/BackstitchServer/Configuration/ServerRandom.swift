import Backstitch
import BackstitchSupport

/// The server's source of randomness: tokens, secrets, record names.
public protocol ServerRandom: Sendable {
    /// Returns `count` unpredictable bytes, fit for secrets.
    func bytes(_ count: Int) -> [UInt8]
}

extension ServerRandom {
    /// A version 4 UUID (RFC 9562) in capitals, as CloudKit names records.
    func uuid() -> String {
        var bytes = bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { ObjectKey(bigEndianBytes: $0) }.uuidString
    }

    /// A positive number of at most 62 bits. It is odd, so it is never zero.
    func identifier() -> Int64 {
        Int64(UInt64(bigEndianBytes: bytes(8)) >> 2) | 1
    }
}
