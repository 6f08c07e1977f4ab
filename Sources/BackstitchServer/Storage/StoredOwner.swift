import BackstitchSupport
import CloudWire

/// A row of the table of owners: the counter of `changes/database`.
struct StoredOwner: Sendable, Hashable {
    var tenantID: Int64
    var ownerID: Int64
    /// Counts commits that changed any custom zone.
    var head: Int64
    /// Another value after a restore makes all older tokens invalid.
    var epoch: Int64
}
