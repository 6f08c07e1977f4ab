import NIOCore
import NIOHTTPTypes

/// Joins the parts of a body that arrive together. A client may send a chunk for each byte. Each part costs a switch of
/// threads and a write to a file, even if it is small.
final class BodyJoiner: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    /// Size at which a joined part is passed on at once, in bytes.
    private static let enough = 65_536

    private var joined: ByteBuffer?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .body(var part) = unwrapInboundIn(data) else {
            pass(context)
            return context.fireChannelRead(data)
        }
        if joined == nil { joined = part } else { joined?.writeBuffer(&part) }
        if joined?.readableBytes ?? 0 >= Self.enough { pass(context) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        pass(context)
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        pass(context)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        pass(context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { pass(context) }

    /// Passes on the joined part.
    private func pass(_ context: ChannelHandlerContext) {
        guard let body = joined else { return }
        joined = nil
        context.fireChannelRead(wrapInboundOut(.body(body)))
    }
}
