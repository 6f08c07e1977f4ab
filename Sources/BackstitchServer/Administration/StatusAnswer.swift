import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The server's answers about itself to anybody who asks: words from a closed set.
enum StatusAnswer {
    /// The process lives, and answers.
    static var health: Response { answer(.ok, #"{"status":"ok"}"#) }

    /// - Parameter reason: Why the server takes no requests; nil when it does.
    static func ready(_ reason: Readiness.Reason?) -> Response {
        guard let reason else { return answer(.ok, #"{"status":"ready"}"#) }
        return answer(.serviceUnavailable, #"{"status":"unavailable","reason":"\#(reason.rawValue)"}"#)
    }

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
