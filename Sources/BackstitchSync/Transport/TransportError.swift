/// The reason for a missing answer.
package struct TransportError: Error, Sendable {
    /// The kinds of errors.
    package enum Kind: Sendable, Hashable {
        /// The server could not be reached, or the connection broke.
        case unreachable
        /// The answer did not arrive in time.
        case timeout
        /// The answer is larger than accepted.
        case tooLarge
    }

    /// The kind of error.
    package var kind: Kind
    /// A text for messages, without any address.
    package var message: String
    /// The error of the library below.
    package var cause: (any Error)?

    /// Creates an error without an answer.
    package init(_ kind: Kind, _ message: String, cause: (any Error)? = nil) {
        self.kind = kind
        self.message = message
        self.cause = cause
    }
}
