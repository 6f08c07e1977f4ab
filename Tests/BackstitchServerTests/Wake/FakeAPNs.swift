import BackstitchSupport
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import TestSupport

@testable import BackstitchServer

/// A server with HTTP/2 over TLS like APNs. It keeps all requests, and answers as it was told.
final class FakeAPNs: Sendable {
    /// A request as it came.
    struct Received: Sendable {
        var path: String
        var headers: [String: String]
        var body: [UInt8]
        /// The connection on which it came.
        var connection: String

        var authorization: String { headers["authorization"] ?? "" }

        func payload() throws -> [String: Any] {
            try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:]
        }
    }

    /// An answer that is no yes.
    struct Answer: Sendable {
        var status: Int
        var reason: String
        var timestamp: Int64?
        var retryAfter: Int?
    }

    private struct State {
        var received: [Received] = []
        var answers: [Answer] = []
    }

    static let keyID = "ABC123DEFG", teamID = "DEF123GHIJ", topic = "org.example.notes"

    let url: URL
    let certificate: URL
    let key: P256.Signing.PrivateKey
    private let state: Locked<State>

    private init(_ url: URL, _ certificate: URL, _ key: P256.Signing.PrivateKey, _ state: Locked<State>) {
        self.url = url
        self.certificate = certificate
        self.key = key
        self.state = state
    }

    /// Runs `body` with such a server.
    static func with<Value>(_ body: (FakeAPNs) async throws -> Value) async throws -> Value {
        try await withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let files = try makeCertificate(in: folder)
            let state = Locked(State())
            let tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(files.certificate.path).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: files.key.path, format: .pem)))
            let (ports, continuation) = AsyncStream<Int>.makeStream()
            let application = Application(
                responder: CallbackResponder<ZoneRequestContext> { request, context in
                    try await answer(request, context, state)
                },
                server: try .http2Upgrade(tlsConfiguration: tls),
                configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
                onServerRunning: { channel in continuation.yield(channel.localAddress?.port ?? 0) },
                logger: Logger(label: "fake APNs") { _ in SwiftLogNoOpLogHandler() })
            let running = Task {
                defer { continuation.finish() }
                try await application.run()
            }
            defer { running.cancel() }
            guard let port = await ports.first(where: { _ in true }), let url = URL(string: "https://localhost:\(port)")
            else { throw TestFailure("the fake APNs does not listen: \(await running.result)") }
            return try await body(FakeAPNs(url, files.certificate, P256.Signing.PrivateKey(), state))
        }
    }

    private static func makeCertificate(in folder: URL) throws -> (certificate: URL, key: URL) {
        let certificate = folder.appending(path: "apns.crt"), key = folder.appending(path: "apns.key")
        let openssl = try TestProcess(
            at: URL(filePath: "/usr/bin/env"),
            [
                "openssl", "req", "-x509", "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-keyout", key.path, "-out", certificate.path,
            ], errors: .withOutput
        ).finish()
        guard openssl.status == 0 else { throw TestFailure("openssl: \(openssl.output)") }
        return (certificate, key)
    }

    private static func answer(
        _ request: Request, _ context: ZoneRequestContext, _ state: Locked<State>
    ) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 20)
        let fields = request.headers.map { ($0.name.canonicalName, $0.value) }
        let received = Received(
            path: request.head.path ?? "", headers: Dictionary(fields) { first, _ in first },
            body: Array(body.readableBytesView), connection: "\(context.channel.remoteAddress as Any)")
        let answer = state.withLock { state in
            state.received.append(received)
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        guard let answer else { return Response(status: .ok) }
        var text: [String: Any] = ["reason": answer.reason]
        text["timestamp"] = answer.timestamp
        let json = try JSONSerialization.data(withJSONObject: text)
        var response = Response(
            status: .init(code: answer.status), body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
        if let seconds = answer.retryAfter { response.headers[.retryAfter] = "\(seconds)" }
        return response
    }

    /// The requests that have come.
    var received: [Received] { state.withLock { $0.received } }

    /// Forgets what has come.
    func forget() { state.withLock { $0.received = [] } }

    /// Answers the next requests so, and those behind them with yes.
    func answer(_ answers: Answer...) { state.withLock { $0.answers = answers } }

    /// Waits for `count` requests, and returns them.
    func wait(for count: Int) async throws -> [Received] {
        guard try await eventually({ received.count >= count }) else {
            throw TestFailure("\(received.count) pushes have come, not \(count)")
        }
        return received
    }

    func configuration() throws -> APNsConfiguration {
        var apns = APNsConfiguration(
            key: try .init(pem: key.pemRepresentation, keyID: Self.keyID, teamID: Self.teamID), topic: Self.topic)
        apns.endpoint = url
        apns.developmentEndpoint = url
        apns.trustRoots = certificate
        return apns
    }

    /// Header and claims of a provider's token with a signature of the key.
    func open(_ authorization: String) throws -> (header: [String: Any], claims: [String: Any]) {
        guard authorization.hasPrefix("bearer ") else { throw TestFailure("no bearer: \(authorization)") }
        let parts = authorization.dropFirst("bearer ".count).split(separator: ".").map(String.init)
        guard parts.count == 3, let signature = [UInt8](base64URL: parts[2]) else { throw TestFailure("no JWT") }
        let signed = Data("\(parts[0]).\(parts[1])".utf8)
        guard key.publicKey.isValidSignature(try .init(rawRepresentation: signature), for: signed) else {
            throw TestFailure("the signature is not the key's")
        }
        func object(_ part: String) throws -> [String: Any] {
            let bytes = [UInt8](base64URL: part) ?? []
            return try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] ?? [:]
        }
        return (try object(parts[0]), try object(parts[1]))
    }
}
