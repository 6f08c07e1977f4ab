import CloudWire
import NIOCore
import NIOHTTPTypes

/// Joins the parts of a body that arrive together. A client may send a chunk for each byte. Each part costs a switch of
/// threads and a write to a file, even if it is small.
///
/// To read the sizes of very many small chunks keeps the other connections of the same thread waiting. So a body of
/// them is refused.
final class BodyJoiner: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    /// Size at which a joined part is passed on at once, in bytes.
    private static let enough = 65_536

    /// The number of parts that a body may have, of any size.
    static let freeParts = 4_096
    /// The bytes that further parts have on average.
    static let bytesOfPart = 16

    private var joined: ByteBuffer?
    /// The parts and bytes of the present body.
    private var parts = 0
    private var bytes = 0
    /// Whether a body was refused. The connection ends then.
    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isRefused { return }
        guard case .body(var part) = unwrapInboundIn(data) else {
            (parts, bytes) = (0, 0)
            pass(context)
            return context.fireChannelRead(data)
        }
        parts += 1
        bytes += part.readableBytes
        guard parts <= Self.freeParts + bytes / Self.bytesOfPart else { return refuse(context) }
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

    /// Ends the body with an error, and reads no more.
    private func refuse(_ context: ChannelHandlerContext) {
        isRefused = true
        joined = nil
        context.channel.setOption(.autoRead, value: false).whenFailure { context.fireErrorCaught($0) }
        let reason = "the body has \(parts) chunks for \(bytes) bytes; send larger chunks"
        context.fireErrorCaught(WireError(.badRequest, "\(WireError.limitExceededPrefix): \(reason)"))
    }

    /// Passes on the joined part.
    private func pass(_ context: ChannelHandlerContext) {
        guard let body = joined else { return }
        joined = nil
        context.fireChannelRead(wrapInboundOut(.body(body)))
    }
}
