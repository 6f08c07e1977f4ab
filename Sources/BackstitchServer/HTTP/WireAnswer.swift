import CloudWire
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// An answer of the wire, with the status 200.
    static func json(_ answer: BoundedAnswer) -> Response { .json(answer.bytes, status: .ok) }

    /// An answer of the wire. The pass for its bytes is kept until the connection has taken them.
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

    /// Fits the answer to its connection. An answer to HEAD gets no body, since the client would take it for the next
    /// answer. A body without a length is sent in chunks, and their end mark is bytes too, even after HEAD. So the
    /// length is stated.
    mutating func frame(for request: Request) {
        let isOfHead = request.method == .head
        let length = headers[.contentLength] ?? (body.contentLength ?? (isOfHead ? 0 : nil)).map { String($0) }
        if isOfHead { body = ResponseBody() }
        if status != .noContent { headers[.contentLength] = length }
    }

    /// The answer to a request that failed as a whole.
    static func failure(_ error: WireError) -> Response {
        let bytes: [UInt8]
        do throws(WireCodingError) {
            bytes = try error.wireJSON()
        } catch {
            // An error holds no numbers, so its encoding cannot fail. The status says the rest.
            bytes = Array("{}".utf8)
        }
        var response = Response.json(bytes, status: HTTPResponse.Status(code: error.code.httpStatus))
        if let seconds = error.retryAfter { response.headers[.retryAfter] = String(seconds) }
        return response
    }
}
