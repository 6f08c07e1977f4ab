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
