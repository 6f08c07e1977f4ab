import Backstitch

/// Changes that were left out of a batch, because they wait for large assets.
struct HeldBack: Sendable {
    /// The uploads that changes wait for.
    var uploads: [SyncServices.Upload] = []
    /// Objects whose changes wait for those of their parents, for servers that require the parent's record first.
    var below: [ObjectKey: ObjectKey] = [:]
}
