import CloudWire
import HTTPTypes
import Hummingbird
import Logging
import Tracing

/// The response to a request, and the result for the metrics.
struct RequestOutcome: Sendable {
    var response: Response
    var result: ServerMetrics.Result

    /// The outcome of a handler's response.
    init(_ response: Response) {
        self.response = response
        result = response.status.code < 400 ? .answered : .status(response.status.code)
    }

    /// The outcome of a failed request.
    init(_ error: WireError) {
        response = .failure(error)
        result = .failed(error.code)
    }
}
