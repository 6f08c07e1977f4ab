import BackstitchSupport
import Foundation

#if Encryption
import Crypto
#endif

/// AES-256-GCM (NIST SP 800-38D). Only a holder of the key can read the sealed bytes. Changes by others are detected.
enum SealingCipher {
    static let nonceSize = 12
    static let tagSize = 16

    /// A new key of 32 bytes, from the system's random generator.
    static func newKey() -> Data {
        var generator = SystemChance.generator
        return Data((0..<4).flatMap { _ in generator.next().littleEndianBytes })
    }

    /// The nonce, the ciphertext and the tag of some bytes.
    ///
    /// - Parameters:
    ///   - key: A key of 32 bytes.
    ///   - nonce: 12 bytes, never used again with this key. Nil takes a nonce from the system's generator.
    ///   - place: Bytes covered by the tag too, without being part of the result.
    /// - Throws: The library's errors for a key or nonce of another size.
    static func seal(
        _ plain: Data, with key: Data, nonce: Data? = nil, authenticating place: Data = Data()
    ) throws -> Data {
        #if Encryption
        let box = try AES.GCM.seal(
            plain, using: SymmetricKey(data: key), nonce: try nonce.map { try AES.GCM.Nonce(data: $0) },
            authenticating: place)
        // A nonce of 12 bytes, as always here, allows this form.
        guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
        return combined
        #else
        throw MissingEncryption.error
        #endif
    }

    /// Opens the result of ``seal(_:with:nonce:authenticating:)``.
    ///
    /// - Throws: The library's errors if the key, the place or the bytes differ.
    static func open(_ sealed: Data, with key: Data, authenticating place: Data = Data()) throws -> Data {
        #if Encryption
        try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: SymmetricKey(data: key), authenticating: place)
        #else
        throw MissingEncryption.error
        #endif
    }
}
