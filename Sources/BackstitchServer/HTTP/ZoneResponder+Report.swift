import CloudWire
import HTTPTypes
import Hummingbird
import Logging
import Tracing

extension ZoneResponder {
    /// Reports the end of a request to metrics, trace and log. Only names of its route and error appear there, since
    /// all else may be a secret.
    func report(
        _ outcome: RequestOutcome, of request: Request, as route: String, _ id: String,
        since start: ContinuousClock.Instant, in span: any Span
    ) {
        let duration = ContinuousClock.now - start
        let status = outcome.response.status
        service.context.metrics.note(route, outcome.result, duration)
        RequestTracing.note(status, in: span)
        configuration.logger.log(
            level: configuration.logsRequests ? .info : .debug, "answered",
            metadata: [
                "request": "\(id)", "method": "\(Self.name(of: request.method))", "route": "\(route)",
                "status": "\(status.code)",
                "result": "\(outcome.result.label)", "milliseconds": "\(duration.nanoseconds / 1_000_000)",
                "received": "\(request.headers[.contentLength].flatMap { Int($0) } ?? 0)",
                "sent": "\(outcome.response.body.contentLength ?? 0)",
            ].merging(RequestTracing.metadata) { own, _ in own })
    }

    /// The name of a known HTTP method, otherwise "other". A method may be any word, so an unknown one is not repeated.
    private static func name(of method: HTTPRequest.Method) -> String {
        [.get, .head, .post, .put, .delete, .options, .patch].contains(method) ? method.rawValue : "other"
    }
}
