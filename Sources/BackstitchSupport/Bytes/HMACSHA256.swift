package import Foundation

/// HMAC over SHA-256 (RFC 2104): only a holder of the key can make the code of a message.
///
/// ```swift
/// let code = HMACSHA256.code(for: Data("message".utf8), key: key)  // 32 bytes
/// ```
package enum HMACSHA256 {
    /// The length of a SHA-256 block in bytes.
    private static let block = 64

    /// Returns the code of a message: 32 bytes.
    ///
    /// - Parameter key: Any number of bytes; more than 32 random ones add no strength.
    package static func code(for message: some ContiguousBytes, key: some ContiguousBytes) -> [UInt8] {
        var padded = key.withUnsafeBytes { $0.count > block ? SHA256.hash(data: Array($0)) : Array($0) }
        padded += [UInt8](repeating: 0, count: block - padded.count)
        var inner = SHA256()
        inner.update(data: padded.map { $0 ^ 0x36 })
        inner.update(data: message)
        var outer = SHA256()
        outer.update(data: padded.map { $0 ^ 0x5C })
        outer.update(data: inner.finalize())
        return outer.finalize()
    }
}
