import BackstitchSupport
import CloudWire

/// The database of one owner in one tenant (a container and environment). All keys of the storage start with it.
struct DatabaseKey: Sendable, Hashable {
    /// The owner of the public database, as CloudKit names it.
    static let publicOwner = "_defaultOwner"

    var tenant: String
    var scope: DatabaseScope
    var owner: String
}
