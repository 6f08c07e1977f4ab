import BackstitchSupport
import CloudWire

/// A push token, and how far the subscriptions of its user have come.
struct StoredWatch: Sendable {
    /// Names a user of a tenant.
    struct Holder: Sendable, Hashable {
        var tenantID: Int64
        var user: ByteText

        init(tenantID: Int64, user: ByteText) {
            self.tenantID = tenantID
            self.user = user
        }

        /// The holder of a token.
        init(_ token: StoredPushToken) { self.init(tenantID: token.key.tenantID, user: ByteText(token.user)) }
    }

    /// Names a subscription of a user.
    struct Key: Sendable, Hashable {
        var ownerID: Int64
        var id: String
    }

    /// Another value after each change for which a subscription fires.
    struct Head: Sendable, Hashable {
        /// The counter of a whole database; 0 for a subscription to a zone.
        var database: Int64
        var zone: Int64
        var epoch: Int64
        /// Nil for a subscription to the whole database, or to a query.
        var zoneName: String?
        /// How often a query subscription has fired; nil for others.
        var firings: Int64?
        /// The number of the kind of database.
        var scope = DatabaseScope.private.rawValue
    }

    var token: StoredPushToken
    var heads: [Key: Head] = [:]
}
