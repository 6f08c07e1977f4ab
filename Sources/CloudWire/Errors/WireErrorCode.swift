/// The error codes of the wire: these fourteen and no others.
public enum WireErrorCode: String, Sendable, Hashable, CaseIterable {
    /// The user may not do this.
    case accessDenied = "ACCESS_DENIED"
    /// Another operation of the same atomic request failed.
    case atomicError = "ATOMIC_ERROR"
    /// The API token or its signature is not accepted.
    case authenticationFailed = "AUTHENTICATION_FAILED"
    /// A user must sign in.
    case authenticationRequired = "AUTHENTICATION_REQUIRED"
    /// The request is not valid; on a change feed, also a token that cannot be honoured.
    case badRequest = "BAD_REQUEST"
    /// The record on the server differs from the one that the client knew.
    case conflict = "CONFLICT"
    /// The thing exists already.
    case exists = "EXISTS"
    /// The server failed.
    case internalError = "INTERNAL_ERROR"
    /// There is no such thing.
    case notFound = "NOT_FOUND"
    /// The storage allowance is used up.
    case quotaExceeded = "QUOTA_EXCEEDED"
    /// Too many requests; wait as long as the error says.
    case throttled = "THROTTLED"
    /// The server cannot answer now; wait as long as the error says.
    case tryAgainLater = "TRY_AGAIN_LATER"
    /// A reference with the action `VALIDATE` has no target, or still has a source.
    case validatingReferenceError = "VALIDATING_REFERENCE_ERROR"
    /// There is no such zone.
    case zoneNotFound = "ZONE_NOT_FOUND"

    /// The HTTP status of an answer that is this error as a whole.
    public var httpStatus: Int {
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

    /// True when the same request may succeed later.
    public var isTransient: Bool {
        switch self {
        case .internalError, .throttled, .tryAgainLater: true
        default: false
        }
    }
}
