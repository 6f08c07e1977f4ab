import NIOCore
import NIOHTTPTypes

/// Closes a connection if its client reads nothing of its answer for a time. Until then the server holds the answer. It
/// counts against its user and all users, and the connection is never cut for a new one.
///
/// The handler looks once in each period while there is an answer. So a client has between one and two periods.
final class AnswerKeeper: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let timeout: TimeAmount
    private var look: Scheduled<Void>?
    /// Whether more of the answer follows.
    private var isAnswering = false
    /// Bytes written since the last look.
    private var written = 0
    /// Bytes not yet taken by the client at the last look.
    private var waiting = 0

    init(timeout: TimeAmount) { self.timeout = timeout }

    func handlerRemoved(context: ChannelHandlerContext) {
        look?.cancel()
        look = nil
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head:
            isAnswering = true
            if look == nil {
                (written, waiting) = (0, 0)
                lookLater(context)
            }
        case .body(let bytes): written += bytes.readableBytes
        case .end: isAnswering = false
        }
        context.write(data, promise: promise)
    }

    private func lookLater(_ context: ChannelHandlerContext) {
        look = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) { self.lookNow(context) }
    }

    private func lookNow(_ context: ChannelHandlerContext) {
        look = nil
        guard context.channel.isActive else { return }
        let before = waiting
        waiting = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        // A client that reads makes the waiting bytes fewer, or makes room for further ones.
        if waiting > 0, waiting == before, written == 0 { return context.close(promise: nil) }
        written = 0
        if isAnswering || waiting > 0 { lookLater(context) }
    }
}
