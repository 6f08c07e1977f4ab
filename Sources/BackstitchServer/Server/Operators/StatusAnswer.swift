import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The server's answers about itself. Any caller may ask, so they use words from a closed set.
enum StatusAnswer {
    /// The answer of a living process to `/health`.
    static var health: Response { answer(.ok, #"{"status":"ok"}"#) }

    /// The answer to `/ready`: 200, or 503 with a reason.
    ///
    /// - Parameter reason: The reason for taking no requests; nil if the server takes them.
    static func ready(_ reason: Readiness.Reason?) -> Response {
        guard let reason else { return answer(.ok, #"{"status":"ready"}"#) }
        return answer(.serviceUnavailable, #"{"status":"unavailable","reason":"\#(reason.rawValue)"}"#)
    }

    /// An answer with this text. Caches must not store it.
    ///
    /// - Parameter contentType: JSON unless given.
    static func answer(
        _ status: HTTPResponse.Status, _ text: String, contentType: String = "application/json; charset=utf-8"
    ) -> Response {
        var response = Response(status: status, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        response.headers[.contentType] = contentType
        response.headers[.cacheControl] = "no-store"
        return response
    }
}
