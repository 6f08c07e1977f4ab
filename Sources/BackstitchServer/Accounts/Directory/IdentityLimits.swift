import BackstitchSupport
import CloudWire

/// Upper limits, so neither a table nor a server's memory grows without bound.
enum IdentityLimits {
    /// Tokens of a user. A further sign-in takes the place of the oldest one.
    static let tokens = 100
    static let apiTokens = 1_000
    static let administrators = 100
    static let serverKeys = 10_000
    static let containers = 10_000
    /// Bytes of a label.
    static let label = 200
    /// Rows in one answer with a list.
    static let page = 1_000
    /// Changes applied one by one in a server's memory. Beyond that, it forgets everything it remembers.
    static let changes = 1_000
}
