#if canImport(Darwin) || !AsyncHTTPClient || DEBUG
import Backstitch
import BackstitchSupport
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Carries requests over Foundation's `URLSession`.
///
/// Outside Apple's systems that is FoundationNetworking, over libcurl. Comments in the code explain its peculiarities
/// at each workaround. The following ones remain, so AsyncHTTPClient is the better library there:
/// - An answer stops the program when it breaks off within its headers or has trailers (swift-corelibs-foundation
///   #5285, fixed after Swift 6.3). So does an answer that announces 2⁶³ bytes.
/// - The library keeps the body of a redirect (301 to 308) until the answer ends. It unpacks a packed body ahead of its
///   reader. Only the time bounds both.
/// - Proxies are those of the environment (`http_proxy` and similar), and the oldest TLS that of the system's libcurl.
struct URLSessionTransport: Transport {
    // The process has one session for each file of trusted certificates. No session is ever released:
    // FoundationNetworking crashes if that happens while a connection closes (swift-corelibs-foundation #5469, #5491).
    private static let sessions = Locked<[Data?: URLSessionConnections]>([:])

    private let connections: URLSessionConnections

    /// - Parameter certificates: The text of a file of certificates (PEM); nil for those of the system.
    /// - Throws: ``BackstitchError/Code/invalidOption`` if the library accepts only those of the system; another error
    ///   when the text contains none.
    init(trusting certificates: Data?) throws {
        connections = try Self.sessions.withLock { sessions in
            if let session = sessions[certificates] { return session }
            let session = URLSessionConnections(trust: try certificates.map { try URLSessionTrust(pem: $0) })
            sessions[certificates] = session
            return session
        }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let outgoing = try Self.outgoing(request)
        let exchange = URLSessionExchange(request)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchange.wait(continuation)
                connections.begin(exchange, outgoing)
            }
        } onCancel: {
            connections.end(exchange, .failure(CancellationError()))
        }
    }

    /// Returns the request in the library's form.
    ///
    /// - Throws: ``TransportError`` for an address of another scheme, because the library would read files, and FTP.
    ///   Also for a header with a line break: libcurl would send it unchanged, and the rest as the next header.
    private static func outgoing(_ request: TransportRequest) throws -> URLRequest {
        guard let url = URL(string: request.url, encodingInvalidCharacters: false), url.host?.isEmpty == false,
            ["http", "https"].contains(url.scheme)
        else { throw TransportError(.unreachable, "its address does not begin with http:// or https://") }
        var outgoing = URLRequest(url: url)
        outgoing.httpMethod = request.method
        // This limit comes after the transport's own. The transport counts from the beginning; this one counts from the
        // last byte, in whole seconds. It must be set here: FoundationNetworking ignores the initializer's value, and
        // uses 60 seconds.
        outgoing.timeoutInterval = Double(request.timeout / 1_000 + 2)
        for (name, value) in request.headers {
            guard !(name + value).utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
                throw TransportError(.unreachable, "a header of the request has a line break in it, and is not sent")
            }
            outgoing.addValue(value, forHTTPHeaderField: name)
        }
        // Bytes are counted as they are transmitted, also in parts of an asset. The library unpacks every packed body,
        // even if its reader has left.
        outgoing.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        // An empty body is sent as such: `Content-Length: 0`.
        if !request.body.isEmpty || request.method == "POST" {
            outgoing.httpBody = Data(request.body)
            // Without a content type the library sends that of a form.
            if outgoing.value(forHTTPHeaderField: "Content-Type") == nil {
                outgoing.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
            }
        }
        return outgoing
    }
}
#endif
