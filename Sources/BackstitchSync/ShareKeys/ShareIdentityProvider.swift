import Backstitch
import BackstitchSupport

/// Provides the user's key pair, as the option ``Backstitch/StoreOption/syncShareIdentity``.
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
/// A ``ShareIdentity`` is a provider too; ``DerivedShareIdentity`` is another. A provider is asked outside of
/// transactions, and may take its time. If it throws, nothing is lost: zones of other users wait, and the objects here
/// stay.
public protocol ShareIdentityProvider: Sendable {
    /// Returns the user's key pair, followed by the pairs it replaces. Keys sealed for a replaced pair can still be
    /// opened.
    func identities() async throws -> [ShareIdentity]
}
