#if canImport(Darwin) || !AsyncHTTPClient || DEBUG
import Backstitch
import Foundation

#if canImport(Security)
import Security
#endif

/// The authorities of a file; one of them must sign a server's certificate.
struct URLSessionTrust: Sendable {
    #if canImport(Security)
    /// The certificates, as DER.
    private let certificates: [Data]

    /// - Parameter pem: The text of a file of certificates.
    /// - Throws: `CocoaError` when the text contains none.
    init(pem: Data) throws {
        let blocks = String(decoding: pem, as: UTF8.self).components(separatedBy: "-----BEGIN CERTIFICATE-----")
        certificates = try blocks.dropFirst().map { block in
            guard let end = block.range(of: "-----END CERTIFICATE-----"),
                let der = Data(base64Encoded: String(block[..<end.lowerBound]), options: .ignoreUnknownCharacters),
                SecCertificateCreateWithData(nil, der as CFData) != nil
            else { throw CocoaError(.fileReadCorruptFile) }
            return der
        }
        guard !certificates.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
    }

    /// Returns whether a server shows a certificate for its name that one of these has signed.
    func accepts(_ server: SecTrust) -> Bool {
        let anchors = certificates.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
        return SecTrustSetAnchorCertificates(server, anchors as CFArray) == errSecSuccess
            && SecTrustSetAnchorCertificatesOnly(server, true) == errSecSuccess
            && SecTrustEvaluateWithError(server, nil)
    }
    #else
    /// - Throws: ``BackstitchError/Code/invalidOption``: FoundationNetworking does not support custom authorities.
    init(pem: Data) throws {
        throw BackstitchError(
            .invalidOption,
            "option \"syncTrustRoots\": sync over URLSession trusts only the system's authorities here. Turn on "
                + "the trait AsyncHTTPClient of the package Backstitch, .package(url: …, traits: "
                + "[\"AsyncHTTPClient\"]), or add the authority to those of the system",
            key: "syncTrustRoots")
    }
    #endif
}
#endif
