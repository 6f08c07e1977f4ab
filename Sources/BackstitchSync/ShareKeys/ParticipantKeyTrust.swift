/// Decides whose public keys are trusted, by the option ``Backstitch/StoreOption/syncKeyTrust``.
///
/// ```swift
/// .syncKeyTrust: ParticipantKeyTrust { key in
///     await addressBook.fingerprint(of: key.userRecordName) == key.publicKey?.fingerprint
/// }
/// ```
/// It is asked of a key that is not the trusted one: of each user's first, and of one that takes the place of another
/// (``ParticipantKey/trustedKey``), which the store may have trusted in another zone. It is asked once about each key
/// of a zone; what it refuses is refused there until ``SyncController/trustKey(of:)`` says otherwise.
public struct ParticipantKeyTrust: Sendable {
    let decide: @Sendable (ParticipantKey) async -> Bool

    /// Trusts as the closure says.
    public init(_ decide: @escaping @Sendable (ParticipantKey) async -> Bool) { self.decide = decide }

    /// Trusts the first key of each user, and no other one before the program says so: unless the option is given.
    public static let onFirstUse = ParticipantKeyTrust { $0.trustedKey == nil }
}
