import CloudWire
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// An answer of the wire.
    static func json(_ answer: BoundedAnswer) -> Response { .json(answer.bytes, status: .ok) }

    /// An answer of the wire, for whose bytes a pass is kept until the connection has taken them.
    static func json(_ answer: BoundedAnswer, keeping pass: RequestPass, over channel: any Channel) -> Response {
        .json(pass.body(of: answer, over: channel), status: .ok)
    }

    private static func json(_ bytes: [UInt8], status: HTTPResponse.Status) -> Response {
        .json(ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)), status: status)
    }

    private static func json(_ body: ResponseBody, status: HTTPResponse.Status) -> Response {
        var response = Response(status: status, body: body)
        response.headers[.contentType] = "application/json; charset=UTF-8"
        return response
    }

    /// Makes the answer one that its connection can carry. To HEAD it has no body, which would be taken for the next
    /// answer. And it tells its length: without that it would be sent in pieces, whose end is bytes, also after HEAD.
    mutating func frame(for request: Request) {
        let isOfHead = request.method == .head
        let length = headers[.contentLength] ?? (body.contentLength ?? (isOfHead ? 0 : nil)).map { String($0) }
        if isOfHead { body = ResponseBody() }
        if status != .noContent { headers[.contentLength] = length }
    }

    /// A failure of a request as a whole.
    static func failure(_ error: WireError) -> Response {
        let bytes: [UInt8]
        do throws(WireCodingError) {
            bytes = try error.wireJSON()
        } catch {
            // An error has no numbers, so it has always a JSON form; the status says the rest.
            bytes = Array("{}".utf8)
        }
        var response = Response.json(bytes, status: HTTPResponse.Status(code: error.code.httpStatus))
        if let seconds = error.retryAfter { response.headers[.retryAfter] = String(seconds) }
        return response
    }
}
