package import Foundation

/// HKDF over SHA-256 (RFC 5869): several keys from one secret, each for its own purpose.
package enum HKDFSHA256 {
    /// Derives a key of 32 bytes. It reveals nothing of the secret, and nothing of a key for another purpose.
    ///
    /// - Parameter secret: The input key material. The salt is empty.
    /// - Parameter info: Names the purpose of the key.
    package static func key(from secret: some ContiguousBytes, info: some ContiguousBytes) -> [UInt8] {
        let extracted = HMACSHA256.code(for: secret, key: [UInt8](repeating: 0, count: 32))
        // The 32 bytes are one block of the expansion, with the number 1.
        let first = info.withUnsafeBytes { Array($0) + [1] }
        return HMACSHA256.code(for: first, key: extracted)
    }
}
