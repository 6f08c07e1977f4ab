import BackstitchSupport
import Foundation

#if Encryption
import Crypto
#endif

/// AES-256-GCM (NIST SP 800-38D). What it seals can be read by someone with the key alone, and not be changed by
/// others unnoticed.
enum SealingCipher {
    static let nonceSize = 12
    static let tagSize = 16

    /// A new key of 32 bytes, from the system's generator.
    static func newKey() -> Data {
        var generator = SystemChance.generator
        return Data((0..<4).flatMap { _ in generator.next().littleEndianBytes })
    }

    /// The nonce, the ciphertext and the tag of some bytes.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes that are never used again with this key; nil takes some of the system's generator.
    ///   - place: Bytes that the tag covers too, and that are not part of the result.
    /// - Throws: what the library throws for a key or nonce of another size.
    static func seal(
        _ plain: Data, with key: Data, nonce: Data? = nil, authenticating place: Data = Data()
    ) throws -> Data {
        #if Encryption
        let box = try AES.GCM.seal(
            plain, using: SymmetricKey(data: key), nonce: try nonce.map { try AES.GCM.Nonce(data: $0) },
            authenticating: place)
        // A nonce of 12 bytes, as it always is here, has this form.
        guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
        return combined
        #else
        throw MissingEncryption.error
        #endif
    }

    /// The bytes that ``seal(_:with:nonce:authenticating:)`` was given.
    ///
    /// - Throws: what the library throws where key, place or bytes are not those.
    static func open(_ sealed: Data, with key: Data, authenticating place: Data = Data()) throws -> Data {
        #if Encryption
        try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: SymmetricKey(data: key), authenticating: place)
        #else
        throw MissingEncryption.error
        #endif
    }
}
