/// Makes a server misbehave on purpose, so that clients can be tested against the faults of real networks.
package struct FaultInjector: Sendable {
    /// A request as far as a decision about it needs.
    package struct Request: Sendable {
        /// The end of the path, such as `records/modify`.
        package var endpoint: String
        /// Counts the requests to the server, from 0.
        package var number: Int
    }

    /// A fault that befalls one request.
    package enum Fault: Sendable {
        /// The connection is cut before the request is handled.
        case dropConnection
        /// The request is handled, and the connection cut instead of an answer.
        case dropResponse
        /// The request is handled after a while.
        case delay(milliseconds: Int64)
        /// The request is refused with THROTTLED.
        case throttled(retryAfter: Int)
        /// The request is refused with TRY_AGAIN_LATER.
        case unavailable(retryAfter: Int)
    }

    /// Decides about a request; nil leaves it alone.
    package var decide: @Sendable (Request) async -> Fault?

    package init(decide: @escaping @Sendable (Request) async -> Fault?) {
        self.decide = decide
    }
}
