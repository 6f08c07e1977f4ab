import Backstitch

/// Provides the keys of encrypted attributes (``Backstitch/PropertyDescription/encrypted()``), as the option
/// ``Backstitch/StoreOption/syncEncryptionKeys``.
///
/// ```swift
/// struct KeyChainKeys: EncryptionKeyProvider {
///     let chain: KeyChain  // of the program
///
///     func currentKey(inZone zone: String) async throws -> EncryptionKey {
///         try await EncryptionKey(id: chain.newestName(), bytes: chain.newestBytes())
///     }
///
///     func key(withID id: String, inZone zone: String) async throws -> EncryptionKey? {
///         try await chain.bytes(named: id).map { try EncryptionKey(id: id, bytes: $0) }
///     }
/// }
/// ```
/// Existing providers are ``EncryptionKeyFile``, ``EncryptionPassphrase``, ``EncryptionKeys`` and
/// ``EncryptionKeyList``.
///
/// The store asks before it reads from the server and before it sends, never within a transaction. It keeps the keys in
/// memory. A call may take its time, but should not block: sync waits for it. If a provider throws or does not have a
/// key, nothing is lost: the values of this key wait (Documentation/Encryption.md).
///
/// Each call names the zone. So a zone may have keys of its own, as a shared zone does.
public protocol EncryptionKeyProvider: Sendable {
    /// Returns the key for encrypting values of a zone from now on.
    ///
    /// - Parameter zone: The zone's name, as listed by ``SyncZones/all()``.
    func currentKey(inZone zone: String) async throws -> EncryptionKey

    /// Returns the key with this name; nil if this device does not have it, or not yet.
    func key(withID id: String, inZone zone: String) async throws -> EncryptionKey?

    /// Returns the names of the keys replaced by the current one. Values under these keys are encrypted anew, little by
    /// little. By default no key is replaced.
    ///
    /// All devices must agree about the order of replacement.
    func replacedKeyIDs(inZone zone: String) async throws -> Set<String>
}

extension EncryptionKeyProvider {
    /// The default: no key is replaced.
    public func replacedKeyIDs(inZone zone: String) async throws -> Set<String> { [] }
}
