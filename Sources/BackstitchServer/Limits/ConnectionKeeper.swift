import CoreMetrics
import NIOCore
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Keeps one connection within its limits: it is counted, and the head of a request must arrive in time.
///
/// It sees requests and answers, and has three helpers. The first sees all incoming bytes, since half a head is no
/// request yet. The second sees the heads before they are converted. The third joins the parts of bodies.
final class ConnectionKeeper: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let registry: ConnectionRegistry
    private let headTimeout: TimeAmount
    private let metrics: ServerMetrics
    private var deadline: Scheduled<Void>?
    /// Requests without a complete answer.
    private var requests = 0
    /// The fully received ones among these requests.
    private var whole = 0
    /// Requests answered before the end of their bodies. Those ends are still to arrive.
    private var answeredEarly = 0

    init(registry: ConnectionRegistry, headTimeout: TimeAmount, metrics: ServerMetrics) {
        self.registry = registry
        self.headTimeout = headTimeout
        self.metrics = metrics
    }

    func handlerAdded(context: ChannelHandlerContext) {
        do {
            let pipeline = context.pipeline.syncOperations
            try pipeline.addHandler(FirstBytes(keeper: self), position: .first)
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(HeadCheck(), position: .before(codec))
            try pipeline.addHandler(BodyJoiner(), position: .after(codec))
        } catch {
            context.fireErrorCaught(error)
        }
    }

    func channelActive(context: ChannelHandlerContext) {
        guard registry.admit(context.channel) else { return context.close(promise: nil) }
        bytesCame(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = nil
        registry.remove(context.channel)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { registry.noteLeft(context.channel) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            deadline?.cancel()
            deadline = nil
            requests += 1
            noteActivity(context)
        case .body(let bytes):
            metrics.bytesReceived.increment(by: bytes.readableBytes)
            noteActivity(context)
        case .end:
            if answeredEarly > 0 { answeredEarly -= 1 } else { whole += 1 }
            noteActivity(context)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head: break
        case .body(let bytes): metrics.bytesSent.increment(by: bytes.readableBytes)
        case .end:
            requests -= 1
            if whole > 0 { whole -= 1 } else { answeredEarly += 1 }
            noteActivity(context)
        }
        context.write(data, promise: promise)
    }

    private func noteActivity(_ context: ChannelHandlerContext) {
        registry.note(context.channel, requests == 0 ? .idle : whole > 0 ? .answering : .reading)
    }

    /// Notes the arrival of bytes. They must complete a head in time, unless a request is already being read.
    fileprivate func bytesCame(_ context: ChannelHandlerContext) {
        guard requests == 0, deadline == nil else { return }
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: headTimeout) { channel.close(promise: nil) }
    }
}

/// Tells the keeper of all incoming bytes, before they are parsed.
private final class FirstBytes: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let keeper: ConnectionKeeper

    init(keeper: ConnectionKeeper) { self.keeper = keeper }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        keeper.bytesCame(context)
        context.fireChannelRead(data)
    }
}
