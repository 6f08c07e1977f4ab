/// The error codes of the wire: only these fourteen exist.
package enum WireErrorCode: String, Sendable, Hashable, CaseIterable {
    /// The user has no right to do this.
    case accessDenied = "ACCESS_DENIED"
    /// Another operation of the same atomic request failed.
    case atomicError = "ATOMIC_ERROR"
    /// The API token or its signature is not accepted.
    case authenticationFailed = "AUTHENTICATION_FAILED"
    /// The request needs a user who has signed in.
    case authenticationRequired = "AUTHENTICATION_REQUIRED"
    /// The request is not valid. On a change feed, this also means a refused token.
    case badRequest = "BAD_REQUEST"
    /// The record on the server differs from the client's version.
    case conflict = "CONFLICT"
    /// The record, zone or other thing already exists.
    case exists = "EXISTS"
    /// The server failed to process the request.
    case internalError = "INTERNAL_ERROR"
    /// The record or other thing does not exist.
    case notFound = "NOT_FOUND"
    /// The storage quota is used up.
    case quotaExceeded = "QUOTA_EXCEEDED"
    /// Too many requests: wait for the time in the error.
    case throttled = "THROTTLED"
    /// The server cannot answer now: wait for the time in the error.
    case tryAgainLater = "TRY_AGAIN_LATER"
    /// A reference with the action `VALIDATE` has no target, or still has a source.
    case validatingReferenceError = "VALIDATING_REFERENCE_ERROR"
    /// The zone of the request does not exist.
    case zoneNotFound = "ZONE_NOT_FOUND"

    /// The HTTP status of an answer that consists of this error.
    package var httpStatus: Int {
        switch self {
        case .accessDenied: 403
        case .atomicError, .badRequest: 400
        case .authenticationFailed: 401
        case .authenticationRequired: 421
        case .conflict, .exists: 409
        case .internalError: 500
        case .notFound, .zoneNotFound: 404
        case .quotaExceeded: 413
        case .throttled: 429
        case .tryAgainLater: 503
        case .validatingReferenceError: 412
        }
    }

    /// True if the same request may succeed later.
    package var isTransient: Bool {
        switch self {
        case .internalError, .throttled, .tryAgainLater: true
        default: false
        }
    }
}
