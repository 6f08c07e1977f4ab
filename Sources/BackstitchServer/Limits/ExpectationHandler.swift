import BackstitchSupport
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers `Expect: 100-continue` (RFC 9110 §10.1.1). Such a client waits with the body of its request. Without an
/// answer some clients wait a second or more before they send it.
///
/// Requests may arrive before the answers to earlier ones. The answer to an expectation waits for those answers.
/// Otherwise it would be in the middle of one of them, or be taken for one.
final class ExpectationHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Requests without a complete answer.
    private var requests = 0
    /// Whether the last request waits with its body until earlier answers are complete.
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
