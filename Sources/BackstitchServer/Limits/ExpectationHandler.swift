import BackstitchSupport
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers `Expect: 100-continue` (RFC 9110 §10.1.1): a client that asks so waits with the body of its request, some of
/// them a second or more before they send it all the same.
///
/// Requests may come before the answers to those before them: the answer to an expectation waits for these, since it
/// would stand in the middle of one, or be taken for it.
final class ExpectationHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Requests whose answer is not complete.
    private var requests = 0
    /// Whether the last of them waits with its body until answers before it are complete.
    private var isWaiting = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            if head.headerFields[.expect]?.asciiLowercased.isSame(as: "100-continue") ?? false {
                if requests == 0 { answer(context) } else { isWaiting = true }
            }
            requests += 1
        case .body, .end: isWaiting = false  // It has not waited, or has no body.
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(data, promise: promise)
        guard case .end = unwrapOutboundIn(data) else { return }
        requests -= 1
        guard isWaiting, requests == 1 else { return }
        isWaiting = false
        answer(context)
    }

    private func answer(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }
}
