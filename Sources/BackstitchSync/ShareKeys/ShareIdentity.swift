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

/// Gives the user's key pair, by the option ``Backstitch/StoreOption/syncShareIdentity``.
///
/// ```swift
/// struct KeyChainIdentity: ShareIdentityProvider {
///     let chain: KeyChain  // of the program
///
///     func identities() async throws -> [ShareIdentity] {
///         try await chain.identityKeys().map { try ShareIdentity(privateKey: $0) }
///     }
/// }
/// ```
/// A ``ShareIdentity`` is one too, and ``DerivedShareIdentity`` is there already. It is asked outside of transactions,
/// and may take its time. One that throws loses nothing: zones of others wait, and what is here stays.
public protocol ShareIdentityProvider: Sendable {
    /// Returns the user's key pair, and behind it those that it replaces: keys that were sealed for them are still
    /// opened.
    func identities() async throws -> [ShareIdentity]
}

extension ShareIdentity: ShareIdentityProvider {
    /// This one.
    public func identities() -> [ShareIdentity] { [self] }
}

/// The key pair that belongs to the current key of an ``EncryptionKeyProvider``, and those of the keys that this one
/// replaces. So it is on each device that has the keys, without anything else that goes from device to device.
///
/// ```swift
/// let keys = EncryptionPassphrase(passphrase, salt: "ann@example.org")
/// // options: [.syncEncryptionKeys: keys, .syncShareIdentity: DerivedShareIdentity(keys), …]
/// ```
/// Another current key is another identity, which the people of each share have to accept
/// (``SyncController/trustKey(of:)``). An ``EncryptionKeyFile`` of its own stays as it is while the keys of
/// values are replaced.
public struct DerivedShareIdentity: ShareIdentityProvider {
    private let keys: any EncryptionKeyProvider

    /// The key pair of a provider's key.
    public init(_ keys: any EncryptionKeyProvider) { self.keys = keys }

    /// The pair of the main zone's current key, then those of the keys that it replaces, as far as they are there.
    public func identities() async throws -> [ShareIdentity] {
        var identities = [ShareIdentity(derivedFrom: try await keys.currentKey(inZone: ""))]
        for id in try await keys.replacedKeyIDs(inZone: "").sorted() {
            guard let key = try await keys.key(withID: id, inZone: "") else { continue }
            identities.append(ShareIdentity(derivedFrom: key))
        }
        return identities
    }
}
