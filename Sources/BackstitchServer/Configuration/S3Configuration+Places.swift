import Foundation

extension S3Configuration {
    /// The smallest part of an upload that stores accept. The last part may be smaller.
    static let smallestPart = 5 << 20

    /// The first invalid setting, with advice; nil when all is well.
    var fault: String? {
        if !(3...63).contains(bucket.utf8.count) || !bucket.utf8.allSatisfy(Self.isPlain) {
            return "'\(bucket.prefix(80))' is not a name of a bucket: it has 3 to 63 letters, digits, '-', '.' and '_'"
        }
        if region.isEmpty || !region.utf8.allSatisfy(Self.isPlain) {
            return "'\(region.prefix(80))' is not a name of a region; give one such as us-east-1 (--s3-region)"
        }
        let parts = prefix.split(separator: "/", omittingEmptySubsequences: false)
        if !prefix.isEmpty, prefix.utf8.count > 512 || !parts.allSatisfy(Self.isName) {
            return """
                '\(prefix.prefix(80))' is not a prefix of objects: it has words of letters, digits, '-', '.' and '_' \
                with slashes between them
                """
        }
        if let endpoint, !Self.isEndpoint(endpoint) {
            return
                "the endpoint of a store of assets is an address such as https://minio.example.org:9000, without a path"
        }
        if partSize < Self.smallestPart { return "partSize must be at least \(Self.smallestPart), but is \(partSize)" }
        return nil
    }

    /// The base of all request URLs, without a slash at the end.
    var origin: String {
        let port = endpoint?.port.map { ":\($0)" } ?? ""
        return "\(endpoint?.scheme?.lowercased() ?? "https")://\(bucketHost)\(port)"
    }

    /// The header `Host`, without the scheme's default port.
    var hostHeader: String {
        let usual = endpoint?.scheme?.lowercased() == "http" ? 80 : 443
        guard let port = endpoint?.port, port != usual else { return bucketHost }
        return "\(bucketHost):\(port)"
    }

    /// The path of the bucket, or of an object in it.
    func path(_ key: String = "") -> String { pathStyle ? "/\(bucket)" + (key.isEmpty ? "" : "/\(key)") : "/\(key)" }

    /// The key of an object: its name behind the prefix.
    func key(_ name: String) -> String { prefix.isEmpty ? name : "\(prefix)/\(name)" }

    /// The place of all objects, as text for messages.
    var place: String { "s3://\(bucket)" + (prefix.isEmpty ? "" : "/\(prefix)") + " at \(host)" }

    private var host: String {
        guard let host = endpoint?.host(percentEncoded: false) else { return "s3.\(region).amazonaws.com" }
        return host.contains(":") ? "[\(host)]" : host.lowercased()
    }

    private var bucketHost: String { pathStyle ? host : "\(bucket).\(host)" }

    private static func isEndpoint(_ url: URL) -> Bool {
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) else { return false }
        return url.host?.isEmpty == false && ["", "/"].contains(url.path) && url.query == nil && url.user == nil
            && url.password == nil && url.fragment == nil
    }

    private static func isName(_ part: Substring) -> Bool {
        !part.isEmpty && part != "." && part != ".." && part.utf8.allSatisfy(isPlain)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }
}
