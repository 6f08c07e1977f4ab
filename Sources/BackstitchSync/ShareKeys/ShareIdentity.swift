import Backstitch
import BackstitchSupport
public import Foundation

/// A user's key pair (X25519) for the keys of shared zones. Others seal these keys for the public half. Each device of
/// the user opens them with the private half.
///
/// ```swift
/// // A second file, copied from device to device as that of the keys is:
/// .syncShareIdentity: DerivedShareIdentity(EncryptionKeyFile(URL(filePath: "identity.keys")))
/// ```
/// It must be the same on all devices of a user. ``DerivedShareIdentity`` derives it from a key that the devices
/// already have.
public struct ShareIdentity: Sendable {
    private let raw: Data
    /// The public half of the pair.
    public let publicKey: SharePublicKey

    /// Makes the pair of a private key.
    ///
    /// - Parameter raw: Any 32 bytes are a private key of X25519.
    private init(raw: Data) {
        self.raw = raw
        publicKey = SharePublicKey(raw: KeyAgreement.publicKey(of: raw))
    }

    /// A new pair, from the system's random generator.
    public static func generated() -> ShareIdentity { ShareIdentity(raw: KeyAgreement.newPrivateKey()) }

    /// The pair of a private key, as returned by ``privateKey``.
    ///
    /// - Throws: ``Backstitch/BackstitchError/Code/invalidValue`` for another number of bytes than 32.
    public init(privateKey: Data) throws {
        guard privateKey.count == 32 else {
            throw BackstitchError(
                .invalidValue,
                "the private key of a share identity has \(privateKey.count) bytes, but X25519 takes 32")
        }
        self.init(raw: Data(privateKey))
    }

    /// The pair derived from an encryption key. It is the same on every device with the key. Nothing about the key can
    /// be computed from it (HKDF, RFC 5869).
    public init(derivedFrom key: EncryptionKey) {
        self.init(raw: Data(HKDFSHA256.key(from: key.bytes, info: Data("backstitch.share.identity".utf8))))
    }

    /// The private half, 32 bytes, for storage in a key chain. It gives access to everything shared with the user.
    public var privateKey: Data { raw }
}

extension ShareIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The fingerprint of the public half only.
    public var description: String { "share identity \(publicKey)" }
    /// The fingerprint of the public half only.
    public var debugDescription: String { description }
    /// A mirror with the public half only.
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }
}

extension ShareIdentity: ShareIdentityProvider {
    /// This pair as the only one.
    public func identities() -> [ShareIdentity] { [self] }
}
