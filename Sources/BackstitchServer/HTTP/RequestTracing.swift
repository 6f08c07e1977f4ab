import HTTPTypes
import Hummingbird
import Logging
import Tracing

/// Makes a span for each request, for the program's tracer (`InstrumentationSystem`). Without a tracer it costs almost
/// nothing.
///
/// A span has the name of its route and the status. It has nothing of the address, the headers or the bodies.
enum RequestTracing {
    /// Runs `body` in a span. The span continues the trace named in the request's headers.
    static func withSpan<Value>(
        _ route: String, _ request: Request, _ body: (any Span) async -> Value
    ) async -> Value {
        var context = InstrumentationContext.current ?? .topLevel
        InstrumentationSystem.instrument.extract(request.headers, into: &context, using: HeaderExtractor())
        return await Tracing.withSpan(route, context: context, ofKind: .server) { span in
            span.attributes["http.route"] = route
            return await body(span)
        }
    }

    /// Notes the status of the response in the span.
    static func note(_ status: HTTPResponse.Status, in span: any Span) {
        span.attributes["http.response.status_code"] = Int64(status.code)
        if status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
    }

    /// The names of the current trace and span, for lines of the log. Empty if the tracer does not give them in the
    /// form of W3C Trace Context (`traceparent`).
    static var metadata: Logger.Metadata {
        guard let context = InstrumentationContext.current else { return [:] }
        var header: String?
        InstrumentationSystem.instrument.inject(context, into: &header, using: ParentInjector())
        guard let parts = header?.split(separator: "-"), parts.count == 4 else { return [:] }
        return ["trace": "\(parts[1])", "span": "\(parts[2])"]
    }

    private struct HeaderExtractor: Extractor {
        func extract(key: String, from headers: HTTPFields) -> String? {
            HTTPField.Name(key).flatMap { headers[$0] }
        }
    }

    private struct ParentInjector: Injector {
        func inject(_ value: String, forKey key: String, into header: inout String?) {
            if key == "traceparent" { header = value }
        }
    }
}
