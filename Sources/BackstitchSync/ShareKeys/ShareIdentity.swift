import Backstitch
import BackstitchSupport
public import Foundation

/// A user's key pair (X25519), by which the user gets the keys of shared zones: others seal them for the public half,
/// and each device of the user opens them with the private half.
///
/// ```swift
/// // A second file, copied from device to device as that of the keys is:
/// .syncShareIdentity: DerivedShareIdentity(EncryptionKeyFile(URL(filePath: "identity.keys")))
/// ```
/// It must be the same on all devices of a user. ``DerivedShareIdentity`` makes it of a key that they have already.
public struct ShareIdentity: Sendable {
    private let raw: Data
    /// The public half.
    public let publicKey: SharePublicKey

    /// - Parameter raw: Any 32 bytes are a private key of X25519.
    private init(raw: Data) {
        self.raw = raw
        publicKey = SharePublicKey(raw: KeyAgreement.publicKey(of: raw))
    }

    /// A new one, from the system's generator.
    public static func generated() -> ShareIdentity { ShareIdentity(raw: KeyAgreement.newPrivateKey()) }

    /// The one of a private key, as ``privateKey`` gave it.
    ///
    /// - Throws: ``Backstitch/BackstitchError/Code/invalidValue`` for another number of bytes than 32.
    public init(privateKey: Data) throws {
        guard privateKey.count == 32 else {
            throw BackstitchError(
                .invalidValue,
                "the private key of a share identity has \(privateKey.count) bytes, where X25519 takes 32")
        }
        self.init(raw: Data(privateKey))
    }

    /// The one that belongs to an encryption key: the same wherever that key is. Nothing of the key can be had from it
    /// (HKDF, RFC 5869).
    public init(derivedFrom key: EncryptionKey) {
        self.init(raw: Data(HKDFSHA256.key(from: key.bytes, info: Data("backstitch.share.identity".utf8))))
    }

    /// The private half, 32 bytes: for a key chain. Whoever has it reads what is shared with the user.
    public var privateKey: Data { raw }
}

extension ShareIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The fingerprint of its public half alone.
    public var description: String { "share identity \(publicKey)" }
    /// The fingerprint of its public half alone.
    public var debugDescription: String { description }
    /// Nothing but its public half.
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }
}

extension ShareIdentity: ShareIdentityProvider {
    /// This one.
    public func identities() -> [ShareIdentity] { [self] }
}
