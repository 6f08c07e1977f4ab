import Backstitch
import BackstitchSupport

/// Gives the user's key pair, by the option ``Backstitch/StoreOption/syncShareIdentity``.
///
/// ```swift
/// struct KeyChainIdentity: ShareIdentityProvider {
///     let chain: KeyChain  // of the program
///
///     func identities() async throws -> [ShareIdentity] {
///         try await chain.identityKeys().map { try ShareIdentity(privateKey: $0) }
///     }
/// }
/// ```
/// A ``ShareIdentity`` is one too, and ``DerivedShareIdentity`` is there already. It is asked outside of transactions,
/// and may take its time. One that throws loses nothing: zones of others wait, and what is here stays.
public protocol ShareIdentityProvider: Sendable {
    /// Returns the user's key pair, and behind it those that it replaces: keys that were sealed for them are still
    /// opened.
    func identities() async throws -> [ShareIdentity]
}
