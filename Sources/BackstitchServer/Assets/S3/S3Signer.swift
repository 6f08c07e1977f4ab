#if TLS
import BackstitchSupport
import Foundation

/// Signs requests by Amazon's Signature Version 4, in the header `Authorization`.
///
/// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
struct S3Signer: Sendable {
    private static let algorithm = "AWS4-HMAC-SHA256"

    let credentials: S3Configuration.Credentials
    let region: String

    /// The headers of a request, with those of the signature.
    ///
    /// - Parameter time: Milliseconds since 1970.
    func headers(of request: S3Request, host: String, at time: Int64) -> [(name: String, value: String)] {
        let stamp = Self.stamp(time)
        var headers = request.headers
        headers.append(("host", host))
        headers.append(("x-amz-content-sha256", request.digest))
        headers.append(("x-amz-date", stamp))
        if let token = credentials.sessionToken { headers.append(("x-amz-security-token", token)) }
        let (canonical, names) = Self.canonical(request, headers)
        let scope = "\(stamp.prefix(8))/\(region)/s3/aws4_request"
        let text = [Self.algorithm, stamp, scope, Self.digest(canonical)].joined(separator: "\n")
        let signature = Self.code(text, key(of: stamp.prefix(8))).hexadecimal
        headers.append(
            (
                "authorization",
                "\(Self.algorithm) Credential=\(credentials.accessKeyID)/\(scope),SignedHeaders=\(names),Signature=\(signature)"
            ))
        return headers
    }

    /// The text to sign by its digest, and the names of the headers in it.
    static func canonical(
        _ request: S3Request, _ headers: [(name: String, value: String)]
    ) -> (text: String, names: String) {
        let lines = headers.map { (name: $0.name.lowercased(), value: trimmed($0.value)) }.sorted { $0.name < $1.name }
        let names = lines.map(\.name).joined(separator: ";")
        let text =
            [request.method, request.path, request.encodedQuery] + lines.map { "\($0.name):\($0.value)" }
            + ["", names, request.digest]
        return (text.joined(separator: "\n"), names)
    }

    /// A time in the form `20130524T000000Z`.
    static func stamp(_ time: Int64) -> String {
        Date(timeIntervalSince1970: Double(time / 1000)).formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
    }

    /// The key for the signatures of one day.
    private func key(of day: Substring) -> [UInt8] {
        [String(day), region, "s3", "aws4_request"].reduce(Array("AWS4\(credentials.secretAccessKey)".utf8)) {
            Self.code($1, $0)
        }
    }

    private static func code(_ text: String, _ key: [UInt8]) -> [UInt8] {
        HMACSHA256.code(for: Array(text.utf8), key: key)
    }

    private static func digest(_ text: String) -> String {
        SHA256.hash(data: Array(text.utf8)).hexadecimal
    }

    /// The value without spaces at its ends, and with single spaces inside.
    private static func trimmed(_ value: String) -> String {
        value.split(separator: " ").joined(separator: " ")
    }
}
#endif
