import BackstitchSupport
import CloudWire

/// A row of the table of owners, with the counter for `changes/database`.
struct StoredOwner: Sendable, Hashable {
    var tenantID: Int64
    var ownerID: Int64
    /// The number of commits that changed a zone of this owner.
    var head: Int64
    /// A number in every token of this owner. A restore changes it, and so makes all older tokens invalid.
    var epoch: Int64
}
