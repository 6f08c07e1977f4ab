import AsyncHTTPClient
import Backstitch
import NIOCore
import NIOHTTP1

/// Carries requests over HTTP. Certificates are verified, redirects are not followed (no answer decides where secrets
/// go), and answers are bounded in time and size.
package struct HTTPTransport: Transport {
    // One for the process, so that stores share connections; it lives as long as the process does.
    private static let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)

    private static var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10)))
        configuration.httpVersion = .http1Only
        // Each store holds one connection for its long poll.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        // The engine tries again, and tells the user meanwhile.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    private let clock: any SyncClock

    /// A transport that measures time by `clock`.
    package init(clock: any SyncClock = SystemSyncClock()) { self.clock = clock }

    package func send(_ request: TransportRequest) async throws -> TransportResponse {
        let deadline = clock.milliseconds() + request.timeout
        return try await withThrowingTaskGroup(of: TransportResponse.self) { group in
            group.addTask { try await Self.exchange(request) }
            group.addTask { [clock] in
                try await clock.sleep(until: deadline)
                throw TransportError(.timeout, "the server did not answer within \(request.timeout) ms")
            }
            defer { group.cancelAll() }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }

    private static func exchange(_ request: TransportRequest) async throws -> TransportResponse {
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
            throw TransportError(.unreachable, "the server could not be reached, or the connection broke", cause: error)
        }
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
