public import Foundation
import NIOSSL

extension ZoneServerConfiguration {
    /// The files by which a server proves who it is, over TLS 1.2 and newer.
    public struct TransportSecurity: Sendable, Hashable {
        /// The certificate and those that it is signed by, but for the root, as PEM.
        public var certificate: URL
        /// The private key of the certificate, as PEM without a passphrase.
        public var privateKey: URL

        /// The files of a certificate and its key; read when the server starts.
        public init(certificate: URL, privateKey: URL) {
            self.certificate = certificate
            self.privateKey = privateKey
        }
    }
}

extension ZoneServerConfiguration.TransportSecurity {
    /// Reads the files. Blocks.
    ///
    /// - Throws: ``ZoneServerError`` that names the file, and for a key that is not the certificate's.
    func load() throws(ZoneServerError) -> TLSConfiguration {
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
        return configuration
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
