import BackstitchSupport
import CloudWire
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1

/// Marks the heads of requests that the server must refuse. Later handlers keep only one value of `Host`, and cannot
/// see a missing or repeated one.
///
/// The refusal itself is an ordinary answer, so it waits for the answers to earlier requests.
final class HeadCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// The field with the fault. A client that sends it causes its own refusal.
    private static let field = HTTPField.Name("X-Backstitch-Bad-Head")

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        if let field = Self.field, let fault = Self.fault(in: head) {
            head.headers.replaceOrAdd(name: field.rawName, value: fault)
        }
        // The HTTP version is not passed on, so its default is set here. A connection of HTTP/1.0 ends unless the
        // client asks otherwise (9.3).
        if Self.isOld(head), !head.headers.contains(name: "Connection") {
            head.headers.add(name: "Connection", value: "close")
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// The head's violation of RFC 9112, as a message: 3.2 for `Host`, 6.1 for `Transfer-Encoding`. nil without one.
    private static func fault(in head: HTTPRequestHead) -> String? {
        let hosts = head.headers["Host"].count
        if hosts > 1 { return "the request has the field Host \(hosts) times; send it once" }
        if hosts == 0, !isOld(head) { return "the request lacks the field Host; send it" }
        let codings = head.headers["Transfer-Encoding"]
        let isKnown = codings.isEmpty || codings.count == 1 && codings[0].asciiLowercased == "chunked"
        return isKnown ? nil : "the server supports only chunked as Transfer-Encoding"
    }

    private static func isOld(_ head: HTTPRequestHead) -> Bool {
        (head.version.major, head.version.minor) < (1, 1)
    }

    /// Refuses a request with a marked head.
    ///
    /// - Throws: BAD_REQUEST with the fault found earlier.
    static func refuseMarked(_ request: Request) throws(WireError) {
        guard let field, let fault = request.headers[field] else { return }
        throw WireError(.badRequest, fault.shown(200))
    }
}
