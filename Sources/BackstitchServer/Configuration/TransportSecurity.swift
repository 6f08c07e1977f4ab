public import Foundation

extension ZoneServerConfiguration {
    /// The files of a server's certificate and key, for TLS 1.3, or TLS 1.2 with forward-secret suites.
    public struct TransportSecurity: Sendable, Hashable {
        /// A PEM file with the certificate and its chain of signers, without the root.
        public var certificate: URL
        /// A PEM file with the certificate's private key, without a passphrase.
        public var privateKey: URL

        /// Creates the setting from two files. The server reads them when it starts.
        public init(certificate: URL, privateKey: URL) {
            self.certificate = certificate
            self.privateKey = privateKey
        }
    }
}
