import BackstitchSupport
public import Foundation

#if TLS
import Crypto
#endif

extension ZoneServerConfiguration {
    /// A program with signed requests instead of a token: another server, or a nightly job.
    ///
    /// A server-to-server key reaches the public database only. There it is a user like others: it has the rights of
    /// `_icloud`, and the rights of `_creator` to its own records. The program keeps the private key. The server has
    /// only the public key, which cannot sign.
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
        /// Record name of the key's user. Records made with the key bear it.
        public var userRecordName: String
        /// The containers within the key's reach; nil for all served containers.
        public var containers: Set<String>?
        /// The end of the key's validity; nil for never.
        public var expires: Date?
        /// The public key's point on the curve, in X9.63 form.
        let point: [UInt8]

        /// Creates a key from its public half.
        ///
        /// - Parameter keyID: 64 hexadecimal digits; nil takes the SHA-256 of the public key.
        /// - Parameter publicKey: A public key of the curve P-256, as a PEM file or as ``publicKey``.
        /// - Throws: ``ZoneServerError`` for text without such a key, for a private key, and for an ID of another form.
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

        /// The lines before and after the key's text in a PEM file.
        private static let armour = ("-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----")

        private static func read(_ text: String) throws(ZoneServerError) -> P256.Signing.PublicKey {
            guard !text.contains("PRIVATE KEY") else {
                throw ZoneServerError(
                    .insecureConfiguration,
                    """
                    this is a private key, which must stay with its program; give the public key, made by `openssl ec \
                    -in key.pem -pubout`
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
