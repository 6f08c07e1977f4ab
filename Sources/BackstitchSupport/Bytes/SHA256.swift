package import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import CSHA256
#endif

/// SHA-256 (FIPS 180-4) of bytes, added piece by piece.
///
/// ```swift
/// var hash = SHA256()
/// hash.update(data: head)
/// hash.update(data: body)
/// let digest = hash.finalize()  // 32 bytes
/// ```
/// On Apple's systems this is CryptoKit's. Elsewhere it is Backstitch's own code in C, and uses the processor's
/// instructions for SHA-256 on x86, if there are any. A crypto library would be a third of all code compiled for an app
/// with SQLite alone. For signatures and secrets the server uses swift-crypto.
package struct SHA256: Sendable {
    #if canImport(CryptoKit)
    private var hash = CryptoKit.SHA256()
    #else
    private var hash = backstitch_sha256()
    #endif

    /// Starts a digest of no bytes.
    package init() {
        #if !canImport(CryptoKit)
        backstitch_sha256_begin(&hash)
        #endif
    }

    /// Adds the next bytes to the digest.
    package mutating func update(bufferPointer bytes: UnsafeRawBufferPointer) {
        #if canImport(CryptoKit)
        hash.update(bufferPointer: bytes)
        #else
        if let start = bytes.baseAddress { backstitch_sha256_update(&hash, start, bytes.count) }
        #endif
    }

    /// Adds the next bytes to the digest.
    package mutating func update(data: some ContiguousBytes) {
        data.withUnsafeBytes { update(bufferPointer: $0) }
    }

    /// Ends the digest and returns its 32 bytes.
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

    /// Returns the 32 bytes of the digest of `data`.
    package static func hash(data: some ContiguousBytes) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: data)
        return hash.finalize()
    }
}
