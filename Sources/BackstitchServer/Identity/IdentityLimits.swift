import BackstitchSupport
import CloudWire

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
