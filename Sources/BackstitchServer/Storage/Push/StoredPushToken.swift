import BackstitchSupport
import CloudWire

/// A push token of a device, with its user and its tenant.
struct StoredPushToken: Sendable, Hashable {
    var key: PushTokenKey
    var tenant: String
    var user: String
    /// The token or key of the caller who made it; see ``Bearer/credential``.
    var credential = ""
    /// The client's name in the request that made it; nil if the request gave none.
    var client: String?

    /// The token or key whose end is also the end of this push token.
    var bearer: Bearer { Bearer(user: user, credential: credential) }
}
