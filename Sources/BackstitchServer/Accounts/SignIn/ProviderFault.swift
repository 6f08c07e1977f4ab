import BackstitchSupport
import CloudWire

/// The reason why the keys of a provider are not available.
struct ProviderFault: Error, Sendable, Hashable {
    /// A complete statement about the provider.
    let reason: String

    init(_ reason: String) { self.reason = reason }

    /// The answer to a caller. The caller may try again.
    func wireError(_ issuer: String) -> WireError {
        WireError(
            .tryAgainLater, "the keys of '\(issuer.shown(200))' cannot be fetched now: \(reason)", retryAfter: 10)
    }
}
