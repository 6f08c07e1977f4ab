import BackstitchSupport
import CloudWire

/// A row of the table of tokens, which has digests only.
struct StoredCredential: Sendable, Hashable {
    enum Kind: Int, Sendable {
        /// A program's token, with which everybody who has the program calls.
        case api = 1
        /// A user's token.
        case web = 2
        /// A token for the administration's endpoints.
        case administrator = 3
    }

    var digest: TokenDigest
    /// Names the token to administrators: 16 hexadecimal digits. A token that was made in place of another has its id.
    var id: String
    var kind: Kind
    /// The user's record name; empty for a token that is no user's.
    var account: String
    /// The only container that an API token is for; empty for all.
    var container = ""
    /// A text of the administrator.
    var label = ""
    var isReadOnly = false
    /// Milliseconds since 1970.
    var created: Int64
    /// Milliseconds since 1970 at which it is no longer honoured; 0 for never.
    var expires: Int64 = 0
    /// Milliseconds for which a token that is made in place of this one is good; 0 for one that is not renewed.
    var lifetime: Int64 = 0
    /// The digest of the token in whose place this one was made, until it is used; then empty.
    var replaces: [UInt8] = []

    func isHonoured(at now: Int64) -> Bool { expires == 0 || now < expires }
}
