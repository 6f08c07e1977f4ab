import CoreMetrics
import NIOCore
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Keeps one connection within its limits: it is counted, and the head of a request must come within a time.
///
/// It sees requests and answers; a helper before all others sees the bytes that come, since half a head is no request
/// yet, another one sees heads as they came, and a third joins
/// the parts of bodies.
final class ConnectionKeeper: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let registry: ConnectionRegistry
    private let headTimeout: TimeAmount
    private let metrics: ServerMetrics
    private var deadline: Scheduled<Void>?
    /// Requests whose answer is not complete.
    private var requests = 0
    /// Those of them that have come whole.
    private var whole = 0
    /// Requests that were answered before their bodies had come, whose ends are still to come.
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

    /// Bytes have come, of which a head must become in time unless they belong to a request that is being read.
    fileprivate func bytesCame(_ context: ChannelHandlerContext) {
        guard requests == 0, deadline == nil else { return }
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: headTimeout) { channel.close(promise: nil) }
    }
}

/// Tells the keeper of each byte that comes, before it is taken for anything.
private final class FirstBytes: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let keeper: ConnectionKeeper

    init(keeper: ConnectionKeeper) { self.keeper = keeper }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        keeper.bytesCame(context)
        context.fireChannelRead(data)
    }
}
