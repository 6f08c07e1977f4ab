#if TLS
import CloudWire
import Crypto
import Foundation
import HTTPTypes

/// The headers of a signed request: the claim that a server-to-server key signed it. None of it is verified yet.
struct SignatureClaim: Sendable {
    let keyID: String
    /// The date's text, a part of the signed message.
    let date: String
    let signature: P256.Signing.ECDSASignature

    /// Reads the claim from the headers of a request.
    ///
    /// - Returns: nil for a request that names no key.
    /// - Throws: AUTHENTICATION_FAILED for a header that is missing, repeated or unreadable.
    init?(_ headers: HTTPFields) throws(WireError) {
        guard headers.contains(.keyID) || headers.contains(.signature) else { return nil }
        keyID = try Self.only(.keyID, headers)
        date = try Self.only(.signatureDate, headers)
        // A signature has at most 72 bytes, or 96 characters of base64.
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
            .authenticationFailed, "a signed request needs one header \(name.rawName), in the documented form")
    }
}
#endif
