import BackstitchSupport
import Tracing

/// A tracer that keeps ended spans, and supports W3C Trace Context.
struct RecordingTracer: Tracer {
    /// A span that has ended.
    struct Ended: Sendable {
        var name: String
        var parent: String?
        var attributes: SpanAttributes
        var isError: Bool
    }

    final class Span: Tracing.Span {
        private struct State {
            var operationName: String
            var attributes: SpanAttributes = [:]
            var isError = false
        }

        let context: InstrumentationContext
        private let ended: Locked<[Ended]>
        private let parent: String?
        private let state: Locked<State>

        init(_ name: String, _ context: InstrumentationContext, ended: Locked<[Ended]>) {
            parent = context.header
            var own = context
            own.header = "00-\(RecordingTracer.trace)-\(RecordingTracer.span)-01"
            self.context = own
            self.ended = ended
            state = Locked(State(operationName: name))
        }

        var operationName: String {
            get { state.withLock { $0.operationName } }
            set { state.withLock { $0.operationName = newValue } }
        }

        var attributes: SpanAttributes {
            get { state.withLock { $0.attributes } }
            set { state.withLock { $0.attributes = newValue } }
        }

        var isRecording: Bool { true }

        func setStatus(_ status: SpanStatus) { state.withLock { $0.isError = status.code == .error } }
        func addEvent(_ event: SpanEvent) {}
        func addLink(_ link: SpanLink) {}
        func recordError<Instant: TracerInstant>(
            _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
        ) {}

        func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
            let (name, attributes, isError) = state.withLock { ($0.operationName, $0.attributes, $0.isError) }
            ended.withLock { $0.append(Ended(name: name, parent: parent, attributes: attributes, isError: isError)) }
        }
    }

    /// The names that all its spans have.
    static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    static let span = "00f067aa0ba902b7"

    private let ended = Locked<[Ended]>([])

    var spans: [Ended] { ended.withLock { $0 } }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> Span {
        Span(operationName, context(), ended: ended)
    }

    func forceFlush() {}

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        context.header = extractor.extract(key: "traceparent", from: carrier)
    }

    func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        if let header = context.header { injector.inject(header, forKey: "traceparent", into: &carrier) }
    }
}

extension InstrumentationContext {
    private enum HeaderKey: InstrumentationContextKey {
        typealias Value = String
    }

    fileprivate var header: String? {
        get { self[HeaderKey.self] }
        set { self[HeaderKey.self] = newValue }
    }
}
