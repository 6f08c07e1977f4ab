package import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import CSHA256
#endif

/// SHA-256 (FIPS 180-4) of bytes that come piece by piece.
///
/// ```swift
/// var hash = SHA256()
/// hash.update(data: head)
/// hash.update(data: body)
/// let digest = hash.finalize()  // 32 bytes
/// ```
/// CryptoKit's on Apple's systems; elsewhere our own in C, by the processor's instructions for it where x86 has them. A
/// library would be a third of all that an app with SQLite alone compiles. For signatures and secrets the server uses
/// swift-crypto.
package struct SHA256: Sendable {
    #if canImport(CryptoKit)
    private var hash = CryptoKit.SHA256()
    #else
    private var hash = backstitch_sha256()
    #endif

    /// Of no bytes yet.
    package init() {
        #if !canImport(CryptoKit)
        backstitch_sha256_begin(&hash)
        #endif
    }

    /// Takes the next bytes.
    package mutating func update(bufferPointer bytes: UnsafeRawBufferPointer) {
        #if canImport(CryptoKit)
        hash.update(bufferPointer: bytes)
        #else
        if let start = bytes.baseAddress { backstitch_sha256_update(&hash, start, bytes.count) }
        #endif
    }

    /// Takes the next bytes.
    package mutating func update(data: some ContiguousBytes) {
        data.withUnsafeBytes { update(bufferPointer: $0) }
    }

    /// The 32 bytes of the digest.
    package consuming func finalize() -> [UInt8] {
        #if canImport(CryptoKit)
        return Array(hash.finalize())
        #else
        return [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            backstitch_sha256_finish(&hash, digest.baseAddress)
            count = 32
        }
        #endif
    }

    /// The 32 bytes of the digest of `data`.
    package static func hash(data: some ContiguousBytes) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: data)
        return hash.finalize()
    }
}
