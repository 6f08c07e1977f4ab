#if TLS
import BackstitchSupport

/// A request to a store, before it is signed.
struct S3Request: Sendable {
    /// The SHA-256 of an empty body.
    static let emptyDigest = SHA256.hash(data: [UInt8]()).hexadecimal

    var method: String
    /// The path as it is sent: percent-encoded, except for the slashes.
    var path: String
    /// The query, not yet encoded.
    var query: [(name: String, value: String)] = []
    /// The headers, without those added by the signature.
    var headers: [(name: String, value: String)] = []
    /// The SHA-256 of the body, in hexadecimal.
    var digest = emptyDigest

    /// The query as it is sent and signed: encoded, then sorted by name and value.
    var encodedQuery: String {
        query.map { (Self.encoded($0.name), Self.encoded($0.value)) }.sorted { $0 < $1 }
            .map { "\($0)=\($1)" }.joined(separator: "&")
    }

    /// Percent-encodes all but unreserved characters (RFC 3986 §2.3) with capital digits, as Amazon's signatures
    /// require.
    static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += "%" + [byte].hexadecimal.uppercased()
            }
        }
        return result
    }
}
#endif
