/// A provider whose keys replace those of other providers. Use it after a change of passphrase, or for moving keys from
/// a passphrase into a file.
///
/// ```swift
/// .syncEncryptionKeys: EncryptionKeyList(new, replacing: [old])
/// ```
public struct EncryptionKeyList: EncryptionKeyProvider {
    private let current: any EncryptionKeyProvider
    private let replaced: [any EncryptionKeyProvider]

    /// Combines a provider with the providers it replaces.
    public init(_ current: any EncryptionKeyProvider, replacing replaced: [any EncryptionKeyProvider]) {
        self.current = current
        self.replaced = replaced
    }

    /// The current key of the first provider.
    public func currentKey(inZone zone: String) async throws -> EncryptionKey {
        try await current.currentKey(inZone: zone)
    }

    /// The key with this name, from the first provider that has one.
    public func key(withID id: String, inZone zone: String) async throws -> EncryptionKey? {
        for provider in [current] + replaced {
            if let key = try await provider.key(withID: id, inZone: zone) { return key }
        }
        return nil
    }

    /// The keys replaced by the first provider, and all keys of the other providers.
    public func replacedKeyIDs(inZone zone: String) async throws -> Set<String> {
        var ids = try await current.replacedKeyIDs(inZone: zone)
        for provider in replaced {
            ids.insert(try await provider.currentKey(inZone: zone).id)
            ids.formUnion(try await provider.replacedKeyIDs(inZone: zone))
        }
        ids.remove(try await current.currentKey(inZone: zone).id)
        return ids
    }
}
