import Backstitch

/// Gives the keys of encrypted attributes (``Backstitch/PropertyDescription/encrypted()``), by the option
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
/// ``EncryptionKeyFile``, ``EncryptionPassphrase``, ``EncryptionKeys`` and ``EncryptionKeyChain`` are there already.
///
/// The store asks before it reads from the server and before it sends, never within a transaction, and keeps the keys
/// in memory. A call may take its time, but should not block: sync waits for it. A provider that throws, or does
/// not have a key, loses nothing: values that need it wait (Documentation/Encryption.md).
///
/// Each call names the zone, so that a zone may have keys of its own, as one that is shared does.
public protocol EncryptionKeyProvider: Sendable {
    /// Returns the key with which values of a zone are encrypted from now on.
    ///
    /// - Parameter zone: The zone's name, as ``SyncController/zones()`` lists it.
    func currentKey(inZone zone: String) async throws -> EncryptionKey

    /// Returns the key of that name; nil when this device does not have it, or not yet.
    func key(withID id: String, inZone zone: String) async throws -> EncryptionKey?

    /// Returns the names of keys that the current one replaces: what is under them is encrypted anew, little by little.
    /// None unless said otherwise.
    ///
    /// All devices must agree which of two keys replaces the other.
    func replacedKeyIDs(inZone zone: String) async throws -> Set<String>
}

extension EncryptionKeyProvider {
    /// No key is replaced.
    public func replacedKeyIDs(inZone zone: String) async throws -> Set<String> { [] }
}
