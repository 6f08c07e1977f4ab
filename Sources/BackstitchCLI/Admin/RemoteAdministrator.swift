import ArgumentParser
import BackstitchServer
import BackstitchSupport
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Asks the administration of a running server.
struct RemoteAdministrator: Administrator {
    private let base: URL
    private let token: String

    /// Asks the server itself: a proxy, be it one on this machine, would read the token.
    private static let session: URLSession = {
        // Where Foundation uses libcurl, that looks for proxies in the environment.
        setenv("no_proxy", "*", 1)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.connectionProxyDictionary = [:]
        return URLSession(configuration: configuration)
    }()

    /// - Parameter server: The address of the administration, which is on this machine: what goes there is not
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
        var message = URLRequest(url: base.appending(path: "admin/\(Request.path)"))
        message.httpMethod = "POST"
        message.timeoutInterval = 60
        message.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        message.setValue("application/json", forHTTPHeaderField: "Content-Type")
        message.httpBody = try AdministrationJSON.encoder.encode(request)
        let (bytes, response): (Data, URLResponse)
        do { (bytes, response) = try await Self.session.data(for: message) } catch {
            throw IdentityError(
                .unavailable,
                """
                no server answers at \(base.absoluteString): \(error.localizedDescription); is it started with --admin-port?
                """)
        }
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
            guard let failure = try? AdministrationJSON.decoder.decode(AdministrationJSON.Failure.self, from: bytes)
            else {
                throw IdentityError(.unavailable, "\(base.absoluteString) is no administration of a server")
            }
            throw IdentityError(.init(name: failure.error.code), failure.error.message)
        }
        do { return try AdministrationJSON.decoder.decode(Request.Answer.self, from: bytes) } catch {
            throw IdentityError(.failed, "the server's answer cannot be read; is it of another version? \(error)")
        }
    }
}
