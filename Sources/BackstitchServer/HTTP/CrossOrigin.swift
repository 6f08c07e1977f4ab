import CloudWire
import HTTPTypes
import Hummingbird

/// Lets pages of declared origins call from a browser, by the CORS protocol of the Fetch standard. Nothing changes for
/// pages of other origins, or for callers other than pages.
///
/// The answer names the one origin, never `*`. Cookies are not allowed: tokens alone identify the caller.
struct CrossOrigin: Sendable {
    private let origins: Set<String>

    /// - Parameter origins: Origins in any form accepted by ``WebOrigin``.
    init(_ origins: [String]) {
        self.origins = Set(origins.compactMap { WebOrigin($0)?.text })
    }

    /// The answer to a browser's preflight request; nil for any other request.
    func preflight(_ request: Request) -> Response? {
        guard request.method == .options, origin(request) != nil, request.headers[.accessControlRequestMethod] != nil
        else { return nil }
        var response = Response(status: .noContent)
        response.headers[.accessControlAllowMethods] = "GET, HEAD, POST, PUT, PATCH"
        response.headers[.accessControlAllowHeaders] = Self.read
        response.headers[.accessControlMaxAge] = "600"
        return response
    }

    /// Lets the page of a declared origin read the answer.
    func mark(_ response: inout Response, to request: Request) {
        if origins.isEmpty { return }
        // A cache must not give the answer for one page to another.
        response.headers[.vary] = "Origin"
        guard let origin = origin(request) else { return }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = Self.shown
    }

    private func origin(_ request: Request) -> String? {
        request.headers[.origin].flatMap { origins.contains($0) ? $0 : nil }
    }

    /// The request headers read by the server.
    private static let read = [
        "Authorization", "Content-Type", "Range", "traceparent", "tracestate", WireHeader.extensions,
        WireHeader.parameters, WireHeader.device, WireHeader.uploadOffset,
    ].joined(separator: ", ")

    /// The response headers useful to a page, in addition to the headers it always sees.
    private static let shown = [
        WireHeader.requestUUID, WireHeader.rotatedToken, "Retry-After", WireHeader.extensions, WireHeader.limits,
        "ETag", "Content-Range", "Accept-Ranges", WireHeader.uploadOffset, WireHeader.uploadLength,
    ].joined(separator: ", ")
}
