#if canImport(Darwin) || !AsyncHTTPClient || DEBUG
import Backstitch
import BackstitchSupport
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Carries requests over Foundation's `URLSession`.
///
/// Off Apple's systems that is FoundationNetworking, over libcurl. Its ways which matter here are told where the code
/// goes round them. These stay, and make AsyncHTTPClient the library of choice there:
/// - An answer stops the program when it breaks off within its headers or has trailers (swift-corelibs-foundation
///   #5285, mended after Swift 6.3), and when it announces 2⁶³ bytes.
/// - The body of a redirect (301 to 308) is kept by the library until the answer ends, and a packed body is unpacked
///   ahead of its reader: only the time bounds both.
/// - Proxies are those of the environment (`http_proxy` and its like), and the oldest TLS that of the system's libcurl.
struct URLSessionTransport: Transport {
    // One for the process and each file of trusted certificates. Nothing ends a session: FoundationNetworking crashes
    // when one is let go while a connection closes (swift-corelibs-foundation #5469, #5491).
    private static let sessions = Locked<[Data?: URLSessionConnections]>([:])

    private let connections: URLSessionConnections

    /// - Parameter certificates: The text of a file of certificates (PEM); nil for those of the system.
    /// - Throws: ``BackstitchError/Code/invalidOption`` where the library takes only those of the system; another error
    ///   when there are none in the text.
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

    /// The request as the library takes it.
    ///
    /// - Throws: ``TransportError`` for an address of another scheme (the library would read files, and FTP), or a
    ///   header that is none: libcurl sends a line break as it is, and what follows as the next header.
    private static func outgoing(_ request: TransportRequest) throws -> URLRequest {
        guard let url = URL(string: request.url, encodingInvalidCharacters: false), url.host?.isEmpty == false,
            ["http", "https"].contains(url.scheme)
        else { throw TransportError(.unreachable, "its address is none of http:// or https://") }
        var outgoing = URLRequest(url: url)
        outgoing.httpMethod = request.method
        // Behind our own, which counts from the beginning: this one counts from the last byte, in whole seconds. It has
        // to be set here: FoundationNetworking passes over that of the initializer, and takes 60 seconds.
        outgoing.timeoutInterval = Double(request.timeout / 1_000 + 2)
        for (name, value) in request.headers {
            guard !(name + value).utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
                throw TransportError(.unreachable, "a header of the request has a line break in it, and is not sent")
            }
            outgoing.addValue(value, forHTTPHeaderField: name)
        }
        // Bytes are counted as they travel, also in parts of an asset. The library unpacks whatever comes, without
        // regard to whether anybody still wants it.
        outgoing.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        // An empty body is sent as such: `Content-Length: 0`.
        if !request.body.isEmpty || request.method == "POST" {
            outgoing.httpBody = Data(request.body)
            // Without one the library names that of a form.
            if outgoing.value(forHTTPHeaderField: "Content-Type") == nil {
                outgoing.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
            }
        }
        return outgoing
    }
}
#endif
