import HTTPTypes
import Hummingbird
import Logging
import Tracing

/// Makes a span of each request, for the tracer that the program has chosen (`InstrumentationSystem`); without one it
/// costs next to nothing.
///
/// A span has the name of its route, its status, and nothing of the address, the headers or the bodies.
enum RequestTracing {
    /// Runs `body` in a span that continues the trace of the request's headers.
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

    /// Notes how the request ended.
    static func note(_ status: HTTPResponse.Status, in span: any Span) {
        span.attributes["http.response.status_code"] = Int64(status.code)
        if status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
    }

    /// The names of the running trace and span, for lines of the log; empty where the tracer does not tell them in the
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
