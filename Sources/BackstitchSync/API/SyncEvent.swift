public import Backstitch

/// What happens in a synced store.
///
/// ```swift
/// for await event in container.syncEvents {
///     switch event {
///     case .started(let reason): print("syncing:", reason)
///     case .progress(let progress): bar.value = progress.received + progress.sent
///     case .finished(let summary): print("new:", summary.inserted, "lost:", summary.conflicts)
///     case .failed(let error): print(error.message)
///     }
/// }
/// ```
public enum SyncEvent: Sendable {
    /// A cycle begins.
    case started(SyncReason)
    /// The running cycle got on: a page of records was applied, or a batch was sent.
    case progress(SyncProgress)
    /// A cycle has ended. What it pulled is in the store, and the contexts have been told of it.
    case finished(SyncSummary)
    /// A cycle has failed. What it did until then stays; what it did not do is tried again by itself where that may
    /// help.
    case failed(BackstitchError)
}
