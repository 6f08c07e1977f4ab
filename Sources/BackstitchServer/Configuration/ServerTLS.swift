#if TLS
import Foundation
import HummingbirdCore
import HummingbirdTLS
import NIOSSL

/// The certificate and key of a server, read and found to fit.
struct ServerTLS: Sendable {
    fileprivate let configuration: TLSConfiguration

    /// The same server over TLS.
    ///
    /// - Throws: What the library throws.
    func secured(_ plain: HTTPServerBuilder) throws -> HTTPServerBuilder {
        try .tls(plain, tlsConfiguration: configuration)
    }
}

extension ZoneServerConfiguration.TransportSecurity {
    /// Reads the files. Blocks.
    ///
    /// - Throws: ``ZoneServerError`` that names the file, and for a key that is not the certificate's.
    func load() throws(ZoneServerError) -> ServerTLS {
        let chain = try read(certificate, "certificate") { try NIOSSLCertificate.fromPEMFile($0) }
        let key = try read(privateKey, "private key") { try NIOSSLPrivateKey(file: $0, format: .pem) }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        // Made once here so that what does not fit together is known before anybody connects.
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
