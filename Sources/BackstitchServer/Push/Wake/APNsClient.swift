#if TLS
import AsyncHTTPClient
import Backstitch
import BackstitchSupport
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// Sends pushes to APNs by HTTP/2: many at a time, on one kept connection.
struct APNsClient: Sendable {
    private static let patience = TimeAmount.seconds(20)
    private static let largestAnswer = 16 << 10

    private let configuration: APNsConfiguration
    private let token: APNsProviderToken
    private let http: HTTPClient

    /// Creates a client. Blocks to read the file of authorities.
    ///
    /// - Throws: ``ZoneServerError`` if that file cannot be used.
    init(_ configuration: APNsConfiguration, clock: any WallClock) throws(ZoneServerError) {
        self.configuration = configuration
        token = APNsProviderToken(configuration.key, clock: clock)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let file = configuration.trustRoots {
            do { tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file.path)) } catch {
                throw ZoneServerError(
                    .invalidConfiguration,
                    "'\(file.path)' cannot be used as the authorities for APNs; give a PEM file (--apns-trust-roots)",
                    cause: error)
            }
        }
        var settings = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(10), read: .seconds(20)))
        settings.httpVersion = .automatic
        // Apple asks servers to keep a connection, and takes many new ones for an attack.
        settings.connectionPool.idleTimeout = .hours(1)
        settings.connectionPool.retryConnectionEstablishment = false
        // The URL of a request has the device's token in it.
        settings.tracing.tracer = nil
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
    }

    /// Sends a push to one device.
    ///
    /// If APNs calls the provider's token expired, it is made anew, once.
    ///
    /// - Throws: `CancellationError`; errors of the cryptography.
    func send(_ push: WakePush) async throws -> APNsAnswer {
        let text = try await token.text()
        let answer = try await exchange(push, text)
        guard answer == .expiredToken else { return answer }
        await token.end(text)
        return try await exchange(push, try await token.text())
    }

    /// Closes the connections. Call it once, after the last push.
    func close() async throws { try await http.shutdown() }

    private func exchange(_ push: WakePush, _ token: String) async throws -> APNsAnswer {
        let endpoint = push.device.isDevelopment ? configuration.developmentEndpoint : configuration.endpoint
        let origin = (endpoint?.absoluteString ?? "").trimmingSuffix("/")
        var request = HTTPClientRequest(url: "\(origin)/3/device/\(push.device.token.text)")
        request.method = .POST
        request.headers.add(name: "authorization", value: "bearer \(token)")
        for (name, value) in push.headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(bytes: push.payload))
        do {
            let response = try await http.execute(request, timeout: Self.patience)
            let body = try await response.body.collect(upTo: Self.largestAnswer)
            guard response.version.major == 2 else {
                return .refused(reason: "the service there does not speak HTTP/2")
            }
            return APNsAnswer(
                status: Int(response.status.code), body: Array(body.readableBytesView),
                retryAfter: response.headers.first(name: "retry-after"))
        } catch {
            if Task.isCancelled { throw CancellationError() }
            return .again(reason: Self.words(error), after: nil)
        }
    }

    /// Words for a failed connection, without the address of the request.
    private static func words(_ error: any Error) -> String {
        if "\(error)".contains("CERTIFICATE_VERIFY_FAILED") { return "its certificate is not trusted" }
        return (error as? HTTPClientError).map { "\($0)" } ?? "it cannot be reached"
    }
}

extension String {
    /// The text without this end, if it has it.
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
#endif
