#if TLS
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// Fetches the documents of a provider: its metadata (OpenID Connect Discovery 1.0 §4), and the keys named there.
///
/// No redirect is followed, and answers are limited in size and time. The provider is believed only about its own
/// users.
struct ProviderDocuments: Sendable {
    private static let patience = TimeAmount.seconds(10)
    private static let largest = 256 << 10

    // One client for the process, so servers share connections. It lives as long as the process.
    private static let http: HTTPClient = {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(5), read: .seconds(10)))
        configuration.httpVersion = .http1Only
        // Its spans would belong to the first user to sign in.
        configuration.tracing.tracer = nil
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    let provider: SignInProvider

    private struct Metadata: Decodable {
        var issuer: String
        var keys: String

        private enum CodingKeys: String, CodingKey {
            case issuer
            case keys = "jwks_uri"
        }
    }

    /// The current keys, and how long they may be kept.
    ///
    /// - Throws: ``ProviderFault`` with the name of the wrong document.
    func keys() async throws(ProviderFault) -> (ProviderKeySet, DocumentLife) {
        let path = "/.well-known/openid-configuration"
        let issuer = provider.issuer.hasSuffix("/") ? String(provider.issuer.dropLast()) : provider.issuer
        let (json, _) = try await document(issuer + path, "discovery document")
        let metadata: Metadata
        do { metadata = try JSONDecoder().decode(Metadata.self, from: json) } catch {
            throw ProviderFault("its discovery document has no issuer and no jwks_uri")
        }
        // Otherwise the owner of one address could speak for the other (§4.3).
        guard metadata.issuer.utf8.elementsEqual(provider.issuer.utf8) else {
            throw ProviderFault("its discovery document belongs to another issuer")
        }
        guard let own = ProviderAddress(provider.issuer), let place = ProviderAddress(metadata.keys),
            place.isAllowed(by: own)
        else { throw ProviderFault("its discovery document names a jwks_uri that is not an address of https") }
        let (keys, life) = try await document(metadata.keys, "document of keys")
        return (try await ProviderKeySet(keys, for: provider), life)
    }

    private func document(_ address: String, _ name: String) async throws(ProviderFault) -> (Data, DocumentLife) {
        var request = HTTPClientRequest(url: address)
        request.headers = ["Accept": "application/json", "User-Agent": "Backstitch"]
        let response: HTTPClientResponse
        do { response = try await Self.http.execute(request, timeout: Self.patience) } catch {
            throw ProviderFault("its \(name) cannot be fetched: \(Self.words(error))")
        }
        guard response.status == .ok else {
            let isRedirect = (300..<400).contains(response.status.code)
            throw ProviderFault(
                isRedirect
                    ? "its \(name) has moved, and redirects are not followed"
                    : "its \(name) is answered with the status \(response.status.code)")
        }
        do {
            let bytes = try await response.body.collect(upTo: Self.largest)
            return (Data(bytes.readableBytesView), DocumentLife(response.headers))
        } catch is NIOTooManyBytesError {
            throw ProviderFault("its \(name) has more than \(Self.largest) bytes")
        } catch {
            throw ProviderFault("its \(name) was cut off")
        }
    }

    /// Words for a failed connection, without addresses of machines.
    private static func words(_ error: any Error) -> String {
        let late: [HTTPClientError] = [.connectTimeout, .readTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout]
        if let error = error as? HTTPClientError {
            return late.contains(error) ? "it takes too long" : "the connection fails"
        }
        return "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
            ? "its certificate is not trusted" : "it cannot be reached"
    }
}
#endif
