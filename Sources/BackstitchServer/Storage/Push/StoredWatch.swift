import BackstitchSupport
import CloudWire

/// A push token, with the current state of its user's subscriptions.
struct StoredWatch: Sendable {
    /// The name of a user within a tenant.
    struct Holder: Sendable, Hashable {
        var tenantID: Int64
        var user: ByteText

        init(tenantID: Int64, user: ByteText) {
            self.tenantID = tenantID
            self.user = user
        }

        /// The user and tenant of a token.
        init(_ token: StoredPushToken) { self.init(tenantID: token.key.tenantID, user: ByteText(token.user)) }
    }

    /// The name of a subscription within a user's databases.
    struct Key: Sendable, Hashable {
        var ownerID: Int64
        var id: String
    }

    /// The state of a subscription. It differs after each firing.
    struct Head: Sendable, Hashable {
        /// The counter of a whole database; 0 for a subscription to a zone.
        var database: Int64
        var zone: Int64
        var epoch: Int64
        /// The name of the zone; nil for a subscription to the whole database, or to a query.
        var zoneName: String?
        /// The number of firings of a query subscription; nil for other kinds.
        var firings: Int64?
        /// The number of the kind of database.
        var scope = DatabaseScope.private.rawValue
    }

    var token: StoredPushToken
    var heads: [Key: Head] = [:]
}
