/// Decides about trust in public keys, as the option ``Backstitch/StoreOption/syncKeyTrust``.
///
/// ```swift
/// .syncKeyTrust: ParticipantKeyTrust { key in
///     await addressBook.fingerprint(of: key.userRecordName) == key.publicKey?.fingerprint
/// }
/// ```
/// It is asked about each user's first key, and about a key that replaces the trusted one
/// (``ParticipantKey/trustedKey``). The store may have trusted the former key in another zone. It is asked once about
/// each key of a zone. A refused key stays refused there until ``SyncEncryption/trust(_:)`` trusts it.
public struct ParticipantKeyTrust: Sendable {
    let decide: @Sendable (ParticipantKey) async -> Bool

    /// Trusts a key if the closure returns true.
    public init(_ decide: @escaping @Sendable (ParticipantKey) async -> Bool) { self.decide = decide }

    /// Trusts the first key of each user. Any other key needs the program's decision. This is the default of the
    /// option.
    public static let onFirstUse = ParticipantKeyTrust { $0.trustedKey == nil }
}
