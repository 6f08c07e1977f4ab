import BackstitchSupport
import CloudWire

/// A push token.
struct StoredPushToken: Sendable, Hashable {
    var key: PushTokenKey
    var tenant: String
    var user: String
    /// The token or key by which it was made; see ``Bearer/credential``.
    var credential = ""
    /// The name under which it was made; nil where none was given.
    var client: String?

    /// The token or key with which it ends.
    var bearer: Bearer { Bearer(user: user, credential: credential) }
}
