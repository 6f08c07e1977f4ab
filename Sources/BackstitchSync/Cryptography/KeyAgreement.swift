import Foundation

#if Encryption
import Crypto
#endif

/// Keys of X25519 (RFC 7748), and sealing between two of them: HPKE (RFC 9180) in its authenticated mode. Keys are 32
/// bytes each.
enum KeyAgreement {
    #if Encryption
    private static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
    #endif

    /// A new private key, from the system's random generator. Any 32 bytes are valid.
    static func newPrivateKey() -> Data { SealingCipher.newKey() }

    /// The public half of a private key. Empty in a build without encryption, where no store accepts either half.
    static func publicKey(of privateKey: Data) -> Data {
        #if Encryption
        guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: privateKey) else {
            preconditionFailure("a private key of X25519 has 32 bytes, not \(privateKey.count)")
        }
        return key.publicKey.rawRepresentation
        #else
        return Data()
        #endif
    }

    /// Whether bytes can be sealed for a public key. A few points give the same secret with every private key.
    static func isUsable(_ publicKey: Data) -> Bool {
        #if Encryption
        guard let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey),
            let secret = try? Curve25519.KeyAgreement.PrivateKey().sharedSecretFromKeyAgreement(with: key)
        else { return false }
        return secret.withUnsafeBytes { $0.contains { $0 != 0 } }
        #else
        return false
        #endif
    }

    /// Seals bytes for another user's public key, with this user's private key. Returns the encapsulated key and the
    /// ciphertext.
    ///
    /// - Throws: The library's errors for an invalid key.
    static func seal(
        _ plain: Data, for publicKey: Data, by privateKey: Data, info: Data, authenticating digest: Data
    ) throws -> (encapsulated: Data, sealed: Data) {
        #if Encryption
        var sender = try HPKE.Sender(
            recipientKey: try Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey), ciphersuite: suite,
            info: info, authenticatedBy: try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: privateKey))
        return (sender.encapsulatedKey, try sender.seal(plain, authenticating: digest))
        #else
        throw MissingEncryption.error
        #endif
    }

    /// Opens bytes that the owner of a public key has sealed for this user's private key.
    ///
    /// - Throws: The library's errors if they were not sealed in this way.
    static func open(
        _ sealed: Data, _ encapsulated: Data, with privateKey: Data, from publicKey: Data, info: Data,
        authenticating digest: Data
    ) throws -> Data {
        #if Encryption
        var recipient = try HPKE.Recipient(
            privateKey: try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: privateKey), ciphersuite: suite,
            info: info, encapsulatedKey: encapsulated,
            authenticatedBy: try Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey))
        return try recipient.open(sealed, authenticating: digest)
        #else
        throw MissingEncryption.error
        #endif
    }
}
