/// Keys that the program already has in memory.
///
/// ```swift
/// .syncEncryptionKeys: EncryptionKeys(current: new, replacing: [old])
/// ```
/// Values under replaced keys are still read, and encrypted anew with the current key.
public struct EncryptionKeys: EncryptionKeyProvider {
    private let current: EncryptionKey
    private let replaced: [EncryptionKey]

    /// Combines a current key with the keys it replaces.
    public init(current: EncryptionKey, replacing replaced: [EncryptionKey] = []) {
        self.current = current
        self.replaced = replaced.filter { $0.id != current.id }
    }

    /// The same key for every zone.
    public func currentKey(inZone zone: String) -> EncryptionKey { current }

    /// The current key, or one of the replaced keys.
    public func key(withID id: String, inZone zone: String) -> EncryptionKey? {
        current.id == id ? current : replaced.first { $0.id == id }
    }

    /// The names of the replaced keys.
    public func replacedKeyIDs(inZone zone: String) -> Set<String> { Set(replaced.map(\.id)) }
}
