import BackstitchSupport
import CloudWire

/// The changes of accounts, tokens and keys since a revision, for a server that remembers some of them. Only removed
/// and changed values are named. A new value is found when it is looked for.
struct IdentityChanges: Sendable, Hashable {
    var revision: Int64
    /// Record names of the affected users. The empty name means values of no user. Nil if there were too many.
    var accounts: Set<ByteText>?
    /// Whether the storage has a valid API token, so requests need one.
    var hasAPITokens: Bool
    /// The containers declared in the storage.
    var containers: Set<String>
}
