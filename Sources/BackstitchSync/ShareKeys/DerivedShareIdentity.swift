import Backstitch
import BackstitchSupport

/// The key pair derived from the current key of an ``EncryptionKeyProvider``, and the pairs of the keys it replaces.
/// Each device with the keys has the pair too. Nothing else travels from device to device.
///
/// ```swift
/// let keys = EncryptionPassphrase(passphrase, salt: "ann@example.org")
/// // options: [.syncEncryptionKeys: keys, .syncShareIdentity: DerivedShareIdentity(keys), …]
/// ```
/// Another current key gives another identity. The people of each share have to accept it
/// (``SyncEncryption/trust(_:)``). To avoid this, use a separate ``EncryptionKeyFile`` for the identity: it stays
/// unchanged while the keys of values are replaced.
public struct DerivedShareIdentity: ShareIdentityProvider {
    private let keys: any EncryptionKeyProvider

    /// Derives the key pairs from a provider's keys.
    public init(_ keys: any EncryptionKeyProvider) { self.keys = keys }

    /// The pair of the main zone's current key, then those of the keys it replaces, as far as they are there.
    public func identities() async throws -> [ShareIdentity] {
        var identities = [ShareIdentity(derivedFrom: try await keys.currentKey(inZone: ""))]
        for id in try await keys.replacedKeyIDs(inZone: "").sorted() {
            guard let key = try await keys.key(withID: id, inZone: "") else { continue }
            identities.append(ShareIdentity(derivedFrom: key))
        }
        return identities
    }
}
