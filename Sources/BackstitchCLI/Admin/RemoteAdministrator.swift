import ArgumentParser
import AsyncHTTPClient
import BackstitchServer
import BackstitchSupport
import Foundation
import NIOCore
import NIOHTTP1

/// Sends requests to the administration of a running server.
struct RemoteAdministrator: Administrator {
    private let base: URL
    private let token: String

    /// The most bytes that are read of an answer. An administration answers with a thousand lines at most.
    private static let answerLimit = 64 << 20

    /// Creates the connection to an administration.
    ///
    /// - Parameter server: The address of the administration. It must be on this machine, because the traffic is not
    ///   encrypted.
    init(_ server: String, token: String) throws {
        guard let url = URL(string: server), url.scheme == "http", let host = url.host,
            host.isLoopbackHost || host == "[::1]"
        else {
            throw ValidationError(
                "--server takes the administration's address on this machine, such as http://127.0.0.1:9090")
        }
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !token.isEmpty else {
            throw ValidationError("an administrator's token has no spaces and no control characters")
        }
        base = url
        self.token = token
    }

    func ask<Request: AdministrationRequest>(_ request: Request) async throws -> Request.Answer {
        var message = HTTPClientRequest(url: base.appending(path: "admin/\(Request.path)").absoluteString)
        message.method = .POST
        message.headers.add(name: "Authorization", value: "Bearer \(token)")
        message.headers.add(name: "Content-Type", value: "application/json")
        message.body = .bytes(try AdministrationJSON.encoder.encode(request))
        let (status, bytes) = try await answer(to: message)
        guard status == .ok else {
            guard let failure = try? AdministrationJSON.decoder.decode(AdministrationJSON.Failure.self, from: bytes)
            else {
                throw isNoAdministration
            }
            throw IdentityError(.init(name: failure.error.code), failure.error.message)
        }
        do { return try AdministrationJSON.decoder.decode(Request.Answer.self, from: bytes) } catch {
            throw IdentityError(.failed, "the server's answer cannot be read; is it of another version? \(error)")
        }
    }

    /// Returns the answer of the server itself. A proxy or another server would see the token. So the client uses no
    /// proxy, which is its default, and follows no redirect.
    private func answer(to message: HTTPClientRequest) async throws -> (status: HTTPResponseStatus, body: Data) {
        do {
            var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
            // The server is on this machine, so a second attempt to connect would not help.
            configuration.connectionPool.retryConnectionEstablishment = false
            return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
                let response = try await client.execute(message, timeout: .seconds(60))
                let body = try await response.body.collect(upTo: Self.answerLimit)
                return (response.status, Data(body.readableBytesView))
            }
        } catch is NIOTooManyBytesError {
            throw isNoAdministration
        } catch {
            throw IdentityError(
                .unavailable, "no server answers at \(base.absoluteString): \(error); is it started with --admin-port?")
        }
    }

    private var isNoAdministration: IdentityError {
        IdentityError(
            .unavailable,
            """
            \(base.absoluteString) is not the administration of a server; give --server the address that `serve` \
            prints for it
            """)
    }
}
