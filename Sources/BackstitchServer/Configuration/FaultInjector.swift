/// Makes a server misbehave on purpose, to test clients against the faults of real networks.
package struct FaultInjector: Sendable {
    /// The facts about a request that ``decide`` needs.
    package struct Request: Sendable {
        /// The end of the path, such as `records/modify`.
        package var endpoint: String
        /// The number of the request at this server, counted from 0.
        package var number: Int
    }

    /// A fault in the handling of one request.
    package enum Fault: Sendable {
        /// The connection is cut before the request is handled.
        case dropConnection
        /// The request is handled, and the connection cut instead of an answer.
        case dropResponse
        /// The request is handled after a delay.
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
