import CloudWire
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// An answer of the wire.
    static func json(_ answer: BoundedAnswer) -> Response { .json(answer.bytes, status: .ok) }

    private static func json(_ bytes: [UInt8], status: HTTPResponse.Status) -> Response {
        var response = Response(status: status, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        response.headers[.contentType] = "application/json; charset=UTF-8"
        return response
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
