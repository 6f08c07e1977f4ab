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
    /// A cycle begins.
    case started(SyncReason)
    /// The running cycle got on: a page of records was applied, or a batch was sent.
    case progress(SyncProgress)
    /// A cycle has ended. The changes that it pulled are in the store, and the contexts have been told of them.
    case finished(SyncSummary)
    /// A cycle has failed. The steps that it has done stay; the others are tried again by themselves where that may
    /// help.
    case failed(BackstitchError)
    /// Somebody who takes part in a share shows another public key than the trusted one, or one that the program does
    /// not trust. It is told once, and not used before ``SyncController/trustKey(of:)`` says so.
    case keyRefused(ParticipantKey)
}
