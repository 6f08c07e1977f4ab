#if TLS
import CloudWire
import Crypto
import Foundation
import HTTPTypes

/// The headers in which a request says that a server-to-server key has signed it. Nothing of that is known to be true.
struct SignatureClaim: Sendable {
    let keyID: String
    /// The text of the date, which is part of what is signed.
    let date: String
    let signature: P256.Signing.ECDSASignature

    /// - Returns: nil for a request that names no key.
    /// - Throws: AUTHENTICATION_FAILED when a header is missing, is there twice, or cannot be read.
    init?(_ headers: HTTPFields) throws(WireError) {
        guard headers.contains(.keyID) || headers.contains(.signature) else { return nil }
        keyID = try Self.only(.keyID, headers)
        date = try Self.only(.signatureDate, headers)
        // A signature has 72 bytes at most, in base64 96 characters.
        let text = try Self.only(.signature, headers)
        guard text.utf8.count <= 128, let der = Data(base64Encoded: text),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: der)
        else { throw Self.malformed(.signature) }
        self.signature = signature
    }

    private static func only(_ name: HTTPField.Name, _ headers: HTTPFields) throws(WireError) -> String {
        let values = headers[values: name]
        guard values.count == 1, !values[0].isEmpty else { throw malformed(name) }
        return values[0]
    }

    private static func malformed(_ name: HTTPField.Name) -> WireError {
        WireError(
            .authenticationFailed, "a signed request needs one header \(name.rawName), of the form of the documents")
    }
}
#endif
