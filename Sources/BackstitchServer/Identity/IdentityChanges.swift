import BackstitchSupport
import CloudWire

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
