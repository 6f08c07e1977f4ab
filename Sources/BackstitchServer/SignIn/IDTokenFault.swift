import CloudWire

/// Why an ID token is not taken. The reason names no part of the token but names of claims, algorithms and providers.
struct IDTokenFault: Error, Sendable, Hashable {
    /// Goes behind "the ID token".
    let reason: String

    init(_ reason: String) { self.reason = reason }

    /// The answer to the caller.
    var wireError: WireError { WireError(.authenticationFailed, "the ID token \(reason)") }
}
