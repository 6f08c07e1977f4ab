import BackstitchSupport
import CloudWire

/// A row of the table of accounts.
struct StoredAccount: Sendable, Hashable {
    /// The user's record name: `_` and 32 hexadecimal digits, or a name from before there were accounts.
    var name: String
    /// A name for people, which no record bears; no other account has it as alias or as record name.
    var alias: String?
    var emailAddress: String?
    var components = UserNameComponents()
    /// Whether other users may find this one.
    var isDiscoverable = false
    /// Milliseconds since 1970.
    var created: Int64
}

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

/// A row of the table of server-to-server keys.
struct StoredServerKey: Sendable, Hashable {
    /// 64 hexadecimal digits.
    var id: String
    /// Base64 of the DER form.
    var publicKey: String
    /// Record name of the user who the key is.
    var account: String
    /// The containers that it reaches; empty for all.
    var containers: [String]
    var label: String
    var created: Int64
    /// Milliseconds since 1970; 0 for never.
    var expires: Int64
}

/// A row of the table of containers.
struct StoredContainer: Sendable, Hashable {
    var name: String
    var label: String
    var created: Int64
}

/// The changes of accounts, tokens and keys since a revision, as far as a server that remembers some of them must know
/// of them: what went and what has become another. What is new is found when it is looked for.
struct IdentityChanges: Sendable, Hashable {
    var revision: Int64
    /// Record names; the empty one stands for what is no user's. Nil when there were too many.
    var accounts: Set<ByteText>?
    /// Whether there is an API token that is honoured, so that requests need one.
    var hasAPITokens: Bool
    /// The containers that were declared.
    var containers: Set<String>
}

/// Most of each, so that neither a table nor the memory of a server grows without bound.
enum IdentityLimits {
    /// Tokens of a user. Signing in once more takes the place of the one that was made first.
    static let tokens = 100
    static let apiTokens = 1_000
    static let administrators = 100
    static let serverKeys = 10_000
    static let containers = 10_000
    /// Bytes of a label.
    static let label = 200
    /// Rows of an answer that lists.
    static let page = 1_000
    /// Changes that a server takes one by one; beyond, it forgets all that it remembers.
    static let changes = 1_000
}
