import BackstitchSupport
import CloudWire

/// Why the keys of a provider cannot be had.
struct ProviderFault: Error, Sendable, Hashable {
    /// A sentence of its own, about the provider.
    let reason: String

    init(_ reason: String) { self.reason = reason }

    /// The answer to a caller, who may try again.
    func wireError(_ issuer: String) -> WireError {
        WireError(
            .tryAgainLater, "the keys of '\(issuer.shown(200))' cannot be had now: \(reason)", retryAfter: 10)
    }
}
