import AsyncHTTPClient
package import Backstitch
import BackstitchSupport
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// Carries requests over HTTP. Certificates are verified, redirects are not followed (no answer decides where secrets
/// go), and answers are bounded in time and size.
package struct HTTPTransport: Transport {
    // One for the process and each file of trusted certificates, so that stores share connections; they live as long as
    // the process does.
    private static let clients = Locked<[Trust: HTTPClient]>([:])

    /// The authorities that a client trusts: the text of a file of certificates, or nil for the system's.
    private struct Trust: Hashable { var certificates: Data? }

    private static func client(_ trust: Trust) throws -> HTTPClient {
        try clients.withLock { clients in
            if let client = clients[trust] { return client }
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: try configuration(trust))
            clients[trust] = client
            return client
        }
    }

    private static func configuration(_ trust: Trust) throws -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let pem = trust.certificates {
            tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(pem)))
        }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10)))
        configuration.httpVersion = .http1Only
        // Each store holds one connection for its long poll.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        // The engine tries again, and tells the user meanwhile.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    private let clock: any WallClock
    private let client: HTTPClient

    /// A transport that measures time by `clock`.
    ///
    /// - Parameter trustRoots: The path of a file of certificates (PEM) that a server's must be signed by; nil for
    ///   those of the system.
    /// - Throws: ``BackstitchError/Code/invalidOption`` when there are none in it.
    package init(clock: any WallClock = SystemClock(), trustRoots: String? = nil) throws {
        self.clock = clock
        do {
            client = try Self.client(Trust(certificates: trustRoots.map { try Data(contentsOf: URL(filePath: $0)) }))
        } catch {
            throw BackstitchError(
                .invalidOption,
                "option \"syncTrustRoots\" names \(trustRoots ?? "no file"), which holds no certificates that can be read (PEM)",
                key: StoreOption.syncTrustRoots.rawValue, cause: error)
        }
    }

    package func send(_ request: TransportRequest) async throws -> TransportResponse {
        let deadline = clock.milliseconds() + request.timeout
        return try await withThrowingTaskGroup(of: TransportResponse.self) { group in
            group.addTask { [client] in try await Self.exchange(request, client) }
            group.addTask { [clock] in
                try await clock.sleep(until: deadline)
                throw TransportError(.timeout, "the server did not answer within \(request.timeout) ms")
            }
            defer { group.cancelAll() }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }

    private static func exchange(_ request: TransportRequest, _ client: HTTPClient) async throws -> TransportResponse {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method)
        for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
        if !request.body.isEmpty || request.method == "POST" { outgoing.body = .bytes(ByteBuffer(bytes: request.body)) }
        do {
            let response = try await client.execute(
                outgoing, deadline: .now() + .milliseconds(request.timeout + 1_000))
            return TransportResponse(
                status: Int(response.status.code), headers: response.headers.map { ($0.name, $0.value) },
                body: try await collect(response, request))
        } catch let error as CancellationError {
            throw error
        } catch let error as TransportError {
            throw error
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw TransportError(.unreachable, explanation(of: error), cause: error)
        }
    }

    /// Returns what an error of the connection tells of the program at its other end.
    private static func explanation(of error: any Error) -> String {
        let text = "\(error)"
        if error is HTTPParserError { return "what listens there does not speak HTTP" }
        if text.contains("WRONG_VERSION_NUMBER") {
            return "what listens there does not speak TLS; is its address one of http:// ?"
        }
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            return
                "its certificate is not one that is trusted; the option syncTrustRoots names the file of an authority of one's own"
        }
        return "the server could not be reached, or the connection broke"
    }

    private static func collect(_ response: HTTPClientResponse, _ request: TransportRequest) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        if let length = response.headers.first(name: "Content-Length").flatMap({ Int($0) }) {
            bytes.reserveCapacity(min(length, request.maximumResponse))
        }
        for try await chunk in response.body {
            guard bytes.count + chunk.readableBytes <= request.maximumResponse else {
                throw TransportError(.tooLarge, "the answer is larger than \(request.maximumResponse) bytes")
            }
            bytes.append(contentsOf: chunk.readableBytesView)
            request.onReceive?(bytes.count)
        }
        return bytes
    }
}
