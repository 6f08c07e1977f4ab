#if TLS
import AsyncHTTPClient
import Backstitch
import BackstitchSupport
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// Sends signed requests to a store, and repeats them if that can help. It follows no redirects, and limits the size of
/// answers.
struct S3Client: Sendable {
    /// The body of a request.
    enum Body: Sendable {
        case none
        case text(String)
        case file(FilePieces)
    }

    /// The answer to a successful request.
    struct Answer: Sendable {
        var headers: HTTPHeaders
        var document: S3Document
    }

    /// The milliseconds after which an answer must have begun. The time for the request's bytes is added.
    private static let patience: Int64 = 20_000
    /// The minimum speed for the request, in bytes for each millisecond.
    private static let slowest: Int64 = 64
    /// The maximum number of attempts for a request.
    private static let attempts = 4
    private static let longestAnswer = 8 << 20
    private static let longestError = 64 << 10

    // One client for the whole process: its servers share connections. It is never shut down.
    private static let http: HTTPClient = {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(5), read: .seconds(60)))
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        // Spans would contain addresses, and their tracer would belong to the first server of the process.
        configuration.tracing.tracer = nil
        // This client repeats requests itself, and reports the reason of a failure.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    let configuration: S3Configuration
    let clock: any WallClock
    let random: any ServerRandom

    /// A request for an object, or for the bucket.
    func request(_ method: String, key: String = "", _ query: [(name: String, value: String)] = []) -> S3Request {
        S3Request(method: method, path: configuration.path(key), query: query)
    }

    /// Sends a request, and reads the whole answer.
    ///
    /// - Throws: ``S3Failure`` if all attempts fail; errors of the body itself.
    @discardableResult
    func perform(_ request: S3Request, _ body: Body = .none) async throws -> Answer {
        try await repeating {
            let response = try await exchange(request, body)
            let bytes = try await collect(response, limit: Self.longestAnswer)
            let document = S3Document(String(decoding: bytes.readableBytesView, as: UTF8.self))
            // A long operation may fail after its answer has begun.
            if let error = document.elements("Error").first, document.text("Code") != nil {
                throw Self.failure(Int(response.status.code), error, response.headers)
            }
            return Answer(headers: response.headers, document: document)
        }
    }

    /// Sends a request, and returns its answer when the answer begins.
    func open(_ request: S3Request) async throws -> HTTPClientResponse {
        try await repeating { try await exchange(request, .none) }
    }

    /// Waits before the next attempt. The wait grows with each failure and has a random part, so clients do not repeat
    /// in step.
    func pause(afterFailures count: Int) async throws {
        let longest = Int64(25) << min(2 * count, 10)
        try await clock.sleep(milliseconds: longest / 2 + random.identifier() % (longest / 2))
    }

    /// Runs work up to ``attempts`` times, as long as its failure may pass.
    private func repeating<Value>(_ work: () async throws -> Value) async throws -> Value {
        for count in 1..<Self.attempts {
            do { return try await work() } catch let failure as S3Failure where failure.mayPass {
                try await pause(afterFailures: count)
            }
        }
        return try await work()
    }

    /// Signs and sends a request once.
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

    /// Reads the body of an answer, up to a limit.
    private func collect(_ response: HTTPClientResponse, limit: Int) async throws -> ByteBuffer {
        do { return try await response.body.collect(upTo: limit) } catch is NIOTooManyBytesError {
            throw S3Failure(.malformed, "an answer of more than \(limit) bytes")
        } catch {
            throw try Self.failure(of: error)
        }
    }
}
#endif
