import Backstitch
import BackstitchSupport

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
