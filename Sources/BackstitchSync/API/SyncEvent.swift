public import Backstitch

/// An event in a synced store.
public enum SyncEvent: Sendable {
    /// A cycle begins, for this reason.
    case started(SyncReason)
    /// The running cycle made progress: a page of records was applied, or a batch was sent.
    case progress(SyncProgress)
    /// A cycle has ended. The pulled changes are in the store, and the contexts have been told of them.
    case finished(SyncSummary)
    /// A cycle has failed. Its finished steps stay. The others are tried again automatically if that may help.
    case failed(BackstitchError)
    /// A participant of a share shows a public key that differs from the trusted one, or that the program does not
    /// trust. The event occurs once. The key is not used before ``SyncController/trustKey(of:)`` allows it.
    case keyRefused(ParticipantKey)
}
