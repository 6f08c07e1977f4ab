#if TLS
import AsyncHTTPClient
import Backstitch
import BackstitchSupport
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// Sends signed requests to a store, again where that helps. Redirects are not followed, and answers are bounded.
struct S3Client: Sendable {
    /// The bytes of a request.
    enum Body: Sendable {
        case none
        case text(String)
        case file(FilePieces)
    }

    /// An answer that says yes.
    struct Answer: Sendable {
        var headers: HTTPHeaders
        var document: S3Document
    }

    /// Milliseconds in which an answer must begin, besides the time for the bytes of the request.
    private static let patience: Int64 = 20_000
    /// Bytes a millisecond that at least must go.
    private static let slowest: Int64 = 64
    /// How often a request is sent at most.
    private static let attempts = 4
    private static let longestAnswer = 8 << 20
    private static let longestError = 64 << 10

    // One for the process, so that servers share connections; it lives as long as the process does.
    private static let http: HTTPClient = {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(5), read: .seconds(60)))
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        // Its spans would hold addresses, and the tracer be the one of whoever came first.
        configuration.tracing.tracer = nil
        // This client tries again, and tells why it could not.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    let configuration: S3Configuration
    let clock: any WallClock
    let random: any ServerRandom

    /// A request on an object, or on the bucket.
    func request(_ method: String, key: String = "", _ query: [(name: String, value: String)] = []) -> S3Request {
        S3Request(method: method, path: configuration.path(key), query: query)
    }

    /// Sends a request, and reads the answer.
    ///
    /// - Throws: ``S3Failure`` when it fails and does so again; the body's own errors.
    @discardableResult
    func perform(_ request: S3Request, _ body: Body = .none) async throws -> Answer {
        try await repeating {
            let response = try await exchange(request, body)
            let bytes = try await collect(response, limit: Self.longestAnswer)
            let document = S3Document(String(decoding: bytes.readableBytesView, as: UTF8.self))
            // Long work may fail after its answer has begun.
            if let error = document.elements("Error").first, document.text("Code") != nil {
                throw Self.failure(Int(response.status.code), error, response.headers)
            }
            return Answer(headers: response.headers, document: document)
        }
    }

    /// Sends a request, and gives its answer when that begins.
    func open(_ request: S3Request) async throws -> HTTPClientResponse {
        try await repeating { try await exchange(request, .none) }
    }

    /// Waits before another try, longer each time, and not as long as others do.
    func pause(afterFailures count: Int) async throws {
        let longest = Int64(25) << min(2 * count, 10)
        try await clock.sleep(milliseconds: longest / 2 + random.identifier() % (longest / 2))
    }

    private func repeating<Value>(_ work: () async throws -> Value) async throws -> Value {
        for count in 1..<Self.attempts {
            do { return try await work() } catch let failure as S3Failure where failure.mayPass {
                try await pause(afterFailures: count)
            }
        }
        return try await work()
    }

    private func exchange(_ request: S3Request, _ body: Body) async throws -> HTTPClientResponse {
        let query = request.encodedQuery
        var outgoing = HTTPClientRequest(
            url: configuration.origin + request.path + (query.isEmpty ? "" : "?\(query)"))
        outgoing.method = HTTPMethod(rawValue: request.method)
        let signer = S3Signer(credentials: configuration.credentials, region: configuration.region)
        for (name, value) in signer.headers(of: request, host: configuration.hostHeader, at: clock.milliseconds()) {
            outgoing.headers.add(name: name, value: value)
        }
        var patience = Self.patience
        switch body {
        case .none: if request.method == "POST" { outgoing.body = .bytes(ByteBuffer()) }
        case .text(let text): outgoing.body = .bytes(ByteBuffer(string: text))
        case .file(let pieces):
            outgoing.body = .stream(pieces, length: .known(pieces.count))
            patience += pieces.count / Self.slowest
        }
        let response: HTTPClientResponse
        do {
            response = try await Self.http.execute(outgoing, deadline: .now() + .milliseconds(patience))
        } catch {
            throw try Self.failure(of: error)
        }
        guard (200..<300).contains(response.status.code) else {
            let bytes = try await collect(response, limit: Self.longestError)
            throw Self.failure(
                Int(response.status.code), S3Document(String(decoding: bytes.readableBytesView, as: UTF8.self)),
                response.headers)
        }
        return response
    }

    private func collect(_ response: HTTPClientResponse, limit: Int) async throws -> ByteBuffer {
        do { return try await response.body.collect(upTo: limit) } catch is NIOTooManyBytesError {
            throw S3Failure(.malformed, "an answer of more than \(limit) bytes")
        } catch {
            throw try Self.failure(of: error)
        }
    }
}
#endif
