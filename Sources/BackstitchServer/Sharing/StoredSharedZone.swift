import BackstitchSupport
import CloudWire

/// The entry of a zone in the database of what others share with a user.
struct StoredSharedZone: Sendable {
    var owner: String
    var name: String
    /// The counter of the user's database at the last change.
    var sequence: Int64
    /// The zone; nil when the user may not read it any more.
    var zone: StoredZone?
}
