import CloudWire

/// The reason to refuse an ID token. It quotes only names of claims, algorithms and providers from the token.
struct IDTokenFault: Error, Sendable, Hashable {
    /// The text behind "the ID token".
    let reason: String

    init(_ reason: String) { self.reason = reason }

    /// The answer to the caller.
    var wireError: WireError { WireError(.authenticationFailed, "the ID token \(reason)") }
}
