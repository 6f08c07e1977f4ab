import BackstitchSupport
import CloudWire

/// A row of the table of tokens. The table holds digests only.
struct StoredCredential: Sendable, Hashable {
    enum Kind: Int, Sendable {
        /// An API token: a program's token, shared by all of its users.
        case api = 1
        /// A web auth token of one user.
        case web = 2
        /// A token for the administration's endpoints.
        case administrator = 3
    }

    var digest: TokenDigest
    /// The id of the token for administrators: 16 hexadecimal digits. A token made by renewal keeps it.
    var id: String
    var kind: Kind
    /// The user's record name; empty for a token without a user.
    var account: String
    /// The only container of an API token; empty for all.
    var container = ""
    /// A free text by the administrator.
    var label = ""
    var isReadOnly = false
    /// The time of creation, in milliseconds since 1970.
    var created: Int64
    /// The end of validity, in milliseconds since 1970; 0 for never.
    var expires: Int64 = 0
    /// Validity of a token made in place of this one, in milliseconds; 0 for no renewal.
    var lifetime: Int64 = 0
    /// The digest of the token replaced by this one; empty after the first use of this one.
    var replaces: [UInt8] = []

    func isHonoured(at now: Int64) -> Bool { expires == 0 || now < expires }
}
