import Backstitch

/// Changes that a look at the outbox has left out of its batch, since they wait for large assets.
struct HeldBack: Sendable {
    /// The uploads for which changes wait.
    var uploads: [SyncServices.Upload] = []
    /// Objects whose changes wait for those of others, on which they hang, where the server takes none without them.
    var below: [ObjectKey: ObjectKey] = [:]
}
