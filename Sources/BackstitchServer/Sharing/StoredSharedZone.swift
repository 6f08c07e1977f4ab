import BackstitchSupport
import CloudWire

/// The entry of a zone in the shared database of a user.
struct StoredSharedZone: Sendable {
    var owner: String
    var name: String
    /// The counter of the user's database at the last change.
    var sequence: Int64
    /// The zone; nil if the user may no longer read it.
    var zone: StoredZone?
}
