import BackstitchSupport
public import Foundation

#if TLS
import Crypto
#endif

extension ZoneServerConfiguration {
    /// A program that signs its requests instead of bringing a token: another server, a nightly job.
    ///
    /// A server-to-server key reaches the public database only, where it is a user like others: it has the rights of
    /// `_icloud`, and those of `_creator` to what it has made. The program keeps the private key; here is the public
    /// one, by which nobody can sign.
    ///
    /// ```sh
    /// openssl ecparam -name prime256v1 -genkey -noout -out key.pem
    /// openssl ec -in key.pem -pubout -out public.pem
    /// ```
    public struct ServerKey: Sendable, Hashable {
        /// The name of the key in requests: 64 hexadecimal digits.
        public let keyID: String
        /// The public key, as base64 of its DER form (`SubjectPublicKeyInfo`, RFC 5480): the text of a PEM file without
        /// its first and last line.
        public let publicKey: String
        /// Record name of the user who the key is; records that the key makes bear it.
        public var userRecordName: String
        /// The containers that the key reaches; nil for all that are served.
        public var containers: Set<String>?
        /// When the key stops being honoured; nil for never.
        public var expires: Date?
        /// The point of the curve, as X9.63 writes it.
        let point: [UInt8]

        /// A key.
        ///
        /// - Parameters:
        ///   - keyID: 64 hexadecimal digits; nil takes the SHA-256 of the public key.
        ///   - publicKey: A public key of the curve P-256, as a PEM file or as ``publicKey``.
        /// - Throws: ``ZoneServerError`` for text that is no such key, and for an ID of another form.
        public init(
            keyID: String? = nil, publicKey: String, userRecordName: String, containers: Set<String>? = nil,
            expires: Date? = nil
        ) throws(ZoneServerError) {
            #if TLS
            let key = try Self.read(publicKey)
            let der = key.derRepresentation
            self.publicKey = der.base64EncodedString()
            point = Array(key.x963Representation)
            self.userRecordName = userRecordName
            self.containers = containers
            self.expires = expires
            guard let keyID else {
                self.keyID = SHA256.hash(data: der).hexadecimal
                return
            }
            guard let bytes = [UInt8](hexadecimal: keyID), bytes.count == 32 else {
                throw ZoneServerError(
                    .invalidConfiguration,
                    "the ID of a server-to-server key is 64 hexadecimal digits, not '\(keyID.prefix(80))'")
            }
            self.keyID = bytes.hexadecimal
            #else
            throw ZoneServerError(withoutTLS: "a server-to-server key")
            #endif
        }

        #if TLS

        /// The lines in front of the text of a key in a PEM file, and behind it.
        private static let armour = ("-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----")

        private static func read(_ text: String) throws(ZoneServerError) -> P256.Signing.PublicKey {
            guard !text.contains("PRIVATE KEY") else {
                throw ZoneServerError(
                    .insecureConfiguration,
                    """
                    this is a private key, which its program keeps to itself; the public one is made by \
                    `openssl ec -in key.pem -pubout`
                    """)
            }
            var inner = text[...]
            if let begin = text.range(of: armour.0) {
                inner = text[begin.upperBound...]
                if let end = inner.range(of: armour.1) { inner = inner[..<end.lowerBound] }
            }
            guard let der = Data(base64Encoded: inner.filter { !$0.isWhitespace }),
                let key = try? P256.Signing.PublicKey(derRepresentation: der)
            else {
                throw ZoneServerError(
                    .invalidConfiguration,
                    """
                    a server-to-server key needs a public key of the curve P-256 (prime256v1), as \
                    `openssl ec -in key.pem -pubout` writes it
                    """)
            }
            return key
        }
        #endif
    }
}
