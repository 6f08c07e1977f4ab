import Foundation

#if Encryption
import Crypto
#endif

/// Keys of X25519 (RFC 7748), and what is sealed for one of them by another: HPKE (RFC 9180) in its authenticated
/// mode. Keys are 32 bytes each.
enum KeyAgreement {
    #if Encryption
    private static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
    #endif

    /// A new private key, from the system's generator. Any 32 bytes are one.
    static func newPrivateKey() -> Data { SealingCipher.newKey() }

    /// The public half of a private key; empty in a build without encryption, where no store takes either.
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

    /// Whether something can be sealed for a public key: there are a few points with which all private keys agree on
    /// the same secret.
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

    /// Seals bytes for someone's public key, by one's own private key: the encapsulated key, and the ciphertext.
    ///
    /// - Throws: what the library throws for a key that is none.
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

    /// Opens what was sealed for the own private key by the owner of a public one.
    ///
    /// - Throws: what the library throws where it was not sealed so.
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
