import BackstitchSupport
import CloudWire

/// A row of the table of owners, with the counter for `changes/database`.
struct StoredOwner: Sendable, Hashable {
    var tenantID: Int64
    var ownerID: Int64
    /// The number of commits to custom zones of this owner. Commits to the default zone are not counted.
    var head: Int64
    /// A number in every token of this owner. A restore changes it, and so makes all older tokens invalid.
    var epoch: Int64
}
