/// The origin of a web page, as browsers write it (RFC 6454 §6.2): scheme, host, and any port other than the scheme's
/// default.
struct WebOrigin: Sendable, Hashable {
    let text: String

    /// Reads an origin from text.
    ///
    /// - Returns: nil for text of another form: with a path, a user, a `*`, or a scheme other than http and https.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasPrefix("//"), let authority = Authority(parts[1].dropFirst(2)) else {
            return nil
        }
        let scheme = parts[0].lowercased()
        let usual: UInt16
        switch scheme {
        case "http": usual = 80
        case "https": usual = 443
        default: return nil
        }
        let host = authority.host.contains(":") ? "[\(authority.host)]" : authority.host
        let port = authority.port.flatMap { $0 == usual ? nil : ":\($0)" } ?? ""
        self.text = "\(scheme)://\(host.lowercased())\(port)"
    }
}
