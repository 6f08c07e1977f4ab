public import Backstitch

/// An event in a synced store.
///
/// ```swift
/// for await event in container.syncEvents {
///     switch event {
///     case .started(let reason): print("syncing:", reason)
///     case .progress(let progress): bar.value = progress.received + progress.sent
///     case .finished(let summary): print("new:", summary.inserted, "lost:", summary.conflicts)
///     case .failed(let error): print(error.message)
///     case .keyRefused(let key): ask(key.userRecordName, key.publicKey?.fingerprint)
///     }
/// }
/// ```
public enum SyncEvent: Sendable {
    /// A cycle begins, for this reason.
    case started(SyncReason)
    /// The running cycle made progress: a page of records was applied, or a batch was sent.
    case progress(SyncProgress)
    /// A cycle has ended. The pulled changes are in the store, and the contexts have been told of them.
    case finished(SyncSummary)
    /// A cycle has failed. Its finished steps stay. The others are tried again automatically if that may help.
    case failed(BackstitchError)
    /// A participant of a share shows an untrusted public key: it differs from the trusted one, or the program does not
    /// trust it. The event occurs once. The key is not used before ``SyncEncryption/trust(_:)`` allows it.
    case keyRefused(ParticipantKey)
}
