/// The public key of somebody who takes part in a share, and whether keys are sealed for it, or taken from it.
public struct ParticipantKey: Sendable, Hashable {
    /// How far a key is trusted.
    public enum State: String, Sendable, Hashable {
        /// The participant has told none yet: its program is an older one, has no ``ShareIdentity``, or has not come.
        case missing
        /// It is trusted.
        case trusted
        /// It is another one than the trusted one, or the program does not trust it. It is not used before
        /// ``SyncController/trustKey(of:)`` says so; until then the trusted one is, if there is one.
        case refused
    }

    /// The name of the zone, as the program knows it.
    public let zone: String
    /// The record name of the user.
    public let userRecordName: String
    /// The part that the user has.
    public let role: Share.Participant.Role
    /// The key that the server shows; nil for none.
    public let publicKey: SharePublicKey?
    /// The key that is trusted; nil for none.
    public let trustedKey: SharePublicKey?
    /// How far ``publicKey`` is trusted.
    public var state: State {
        guard let publicKey else { return trustedKey == nil ? .missing : .trusted }
        return publicKey == trustedKey ? .trusted : .refused
    }
}

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
