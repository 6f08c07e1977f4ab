public import Foundation

extension ZoneServerConfiguration {
    /// The files by which a server proves who it is, over TLS 1.3, or TLS 1.2 with forward-secret suites.
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
