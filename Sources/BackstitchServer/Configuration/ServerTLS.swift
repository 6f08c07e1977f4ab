#if TLS
import Foundation
import HummingbirdCore
import HummingbirdTLS
import NIOSSL

/// The certificate and private key of a server, read from files and checked against each other.
struct ServerTLS: Sendable {
    fileprivate let configuration: TLSConfiguration

    /// The suites of TLS 1.2 with forward secrecy and authenticated encryption. TLS 1.3 has no others.
    fileprivate static let suites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    /// Wraps a plain server in TLS.
    ///
    /// - Throws: the error of the TLS library.
    func secured(_ plain: HTTPServerBuilder) throws -> HTTPServerBuilder {
        try .tls(plain, tlsConfiguration: configuration)
    }
}

extension ZoneServerConfiguration.TransportSecurity {
    /// Reads the certificate and the key, and checks them. Blocks.
    ///
    /// - Throws: ``ZoneServerError`` with the name of a faulty file, also if the key does not match the certificate.
    func load() throws(ZoneServerError) -> ServerTLS {
        let chain = try read(certificate, "certificate") { try NIOSSLCertificate.fromPEMFile($0) }
        let key = try read(privateKey, "private key") { try NIOSSLPrivateKey(file: $0, format: .pem) }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = ServerTLS.suites
        configuration.applicationProtocols = ["http/1.1"]
        // The context is made here once, so a mismatch is found before the first connection.
        do { _ = try NIOSSLContext(configuration: configuration) } catch {
            throw ZoneServerError(
                .invalidConfiguration,
                "'\(privateKey.path)' is not the private key of '\(certificate.path)'; give the key that the certificate is for",
                cause: error)
        }
        return ServerTLS(configuration: configuration)
    }

    private func read<Value>(_ file: URL, _ what: String, _ body: (String) throws -> Value) throws(ZoneServerError)
        -> Value
    {
        do { return try body(file.path) } catch {
            throw ZoneServerError(
                .invalidConfiguration, "'\(file.path)' cannot be used as the \(what) of TLS; give a PEM file",
                cause: error)
        }
    }
}
#endif
