#if AsyncHTTPClient && !canImport(Darwin)
import AsyncHTTPClient
import BackstitchSupport
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// Carries requests over AsyncHTTPClient.
struct AsyncHTTPClientTransport: Transport {
    // The process has one client for each file of trusted certificates, so that stores share connections. They live as
    // long as the process.
    private static let clients = Locked<[Data?: HTTPClient]>([:])

    private let client: HTTPClient

    /// - Parameter certificates: The text of a file of certificates (PEM); nil for those of the system.
    /// - Throws: The library's error for a faulty file.
    init(trusting certificates: Data?) throws {
        client = try Self.clients.withLock { clients in
            if let client = clients[certificates] { return client }
            let client = HTTPClient(
                eventLoopGroupProvider: .singleton, configuration: try Self.configuration(certificates))
            clients[certificates] = client
            return client
        }
    }

    private static func configuration(_ certificates: Data?) throws -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let certificates {
            tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(certificates)))
        }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10)))
        configuration.httpVersion = .http1Only
        // Each store holds one connection for its long poll.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        // The engine tries again, and reports to the user meanwhile.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
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
            throw TransportError(.unreachable, Self.explanation(of: error), cause: error)
        }
    }

    /// Returns the likely cause of a connection's error at its other end.
    private static func explanation(of error: any Error) -> String {
        let text = "\(error)"
        // A connection that ends within an answer was cut.
        if let error = error as? HTTPParserError, error != .invalidEOFState { return ConnectionProblem.notHTTP }
        if text.contains("WRONG_VERSION_NUMBER") { return ConnectionProblem.notTLS }
        if text.contains("CERTIFICATE_VERIFY_FAILED") { return ConnectionProblem.notTrusted }
        return ConnectionProblem.unreachable
    }

    private func collect(_ response: HTTPClientResponse, _ request: TransportRequest) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        if let length = response.headers.first(name: "Content-Length").flatMap({ Int($0) }) {
            bytes.reserveCapacity(min(length, request.maximumResponse))
        }
        for try await chunk in response.body {
            guard bytes.count + chunk.readableBytes <= request.maximumResponse else {
                throw ConnectionProblem.tooLarge(request)
            }
            bytes.append(contentsOf: chunk.readableBytesView)
            request.onReceive?(bytes.count)
        }
        return bytes
    }
}
#endif
