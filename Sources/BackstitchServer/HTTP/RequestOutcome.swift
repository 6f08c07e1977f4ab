import CloudWire
import HTTPTypes
import Hummingbird
import Logging
import Tracing

/// How a request was answered.
struct RequestOutcome: Sendable {
    var response: Response
    var result: ServerMetrics.Result

    /// An answer that a handler has made.
    init(_ response: Response) {
        self.response = response
        result = response.status.code < 400 ? .answered : .status(response.status.code)
    }

    /// The answer that tells a failure.
    init(_ error: WireError) {
        response = .failure(error)
        result = .failed(error.code)
    }
}
