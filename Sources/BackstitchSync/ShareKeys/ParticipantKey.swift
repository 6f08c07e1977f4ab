/// The public key of a share's participant, and the trust in it. Zone keys are sealed for it, or accepted from it, only
/// if it is trusted.
public struct ParticipantKey: Sendable, Hashable {
    /// The trust in a public key.
    public enum State: String, Sendable, Hashable {
        /// The participant has told no key yet. Its program is older, has no ``ShareIdentity``, or has not synced yet.
        case missing
        /// The key is trusted.
        case trusted
        /// The key differs from the trusted one, or the program does not trust it. It is not used before a call of
        /// ``SyncEncryption/trust(_:)``. Until then the trusted key is used, if there is one.
        case refused
    }

    /// The name of the zone in the program.
    public let zone: String
    /// The record name of the user.
    public let userRecordName: String
    /// The part of the user in the share.
    public let role: Share.Participant.Role
    /// The key shown by the server; nil for none.
    public let publicKey: SharePublicKey?
    /// The trusted key; nil for none.
    public let trustedKey: SharePublicKey?
    /// The trust in ``publicKey``.
    public var state: State {
        guard let publicKey else { return trustedKey == nil ? .missing : .trusted }
        return publicKey == trustedKey ? .trusted : .refused
    }
}
