/// Keys that the program has in its hand.
///
/// ```swift
/// .syncEncryptionKeys: EncryptionKeys(current: new, replacing: [old])
/// ```
/// Values under the keys that are replaced are read, and encrypted anew with the current one.
public struct EncryptionKeys: EncryptionKeyProvider {
    private let current: EncryptionKey
    private let replaced: [EncryptionKey]

    /// A key, and those that it replaces.
    public init(current: EncryptionKey, replacing replaced: [EncryptionKey] = []) {
        self.current = current
        self.replaced = replaced.filter { $0.id != current.id }
    }

    /// The same key in each zone.
    public func currentKey(inZone zone: String) -> EncryptionKey { current }

    /// The current key, or one that it replaces.
    public func key(withID id: String, inZone zone: String) -> EncryptionKey? {
        current.id == id ? current : replaced.first { $0.id == id }
    }

    /// The keys that the current one replaces.
    public func replacedKeyIDs(inZone zone: String) -> Set<String> { Set(replaced.map(\.id)) }
}
