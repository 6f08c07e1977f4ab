import BackstitchSupport
import CloudWire

/// The target named by the path of a request.
enum RequestTarget: Sendable, Hashable {
    case database(WireEndpoint, container: String, environment: String, DatabaseScope)
    case device(WireEndpoint, container: String, environment: String)
    case upload
    case download(tenantID: Int64, AssetChecksum)
    case poll
    case signIn
    case health
    case ready

    private static let mostParts = 8
    private static let longestPart = 255

    /// Reads the path of a request.
    ///
    /// - Returns: nil for a path unknown to this server.
    init?(path: some StringProtocol) {
        var parts: [String] = []
        for part in path.split(atByte: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
            // All addresses of this server have short ASCII parts. The comparisons below rely on it.
            guard parts.count < Self.mostParts, let text = part.percentDecoded, text.utf8.count <= Self.longestPart,
                text.isASCII
            else { return nil }
            parts.append(text)
        }
        switch (parts.first, parts.count) {
        case ("aps", 1): self = .poll
        case ("auth", 2) where parts[1] == "oidc": self = .signIn
        case ("health", 1): self = .health
        case ("ready", 1): self = .ready
        case ("assets", 2) where parts[1] == "bytes": self = .upload
        case ("assets", 4) where parts[1] == "download":
            guard let tenantID = Int64(parts[2]), let checksum = AssetChecksum(hexadecimal: parts[3]) else {
                return nil
            }
            self = .download(tenantID: tenantID, checksum)
        case ("database", 7) where parts[1] == "1":
            guard let scope = DatabaseScope(path: parts[4]),
                let endpoint = WireEndpoint(word: "\(parts[5])/\(parts[6])"), !endpoint.isDevice
            else { return nil }
            self = .database(endpoint, container: parts[2], environment: Self.environment(parts[3]), scope)
        case ("database", 8) where parts[1] == "1":
            guard let scope = DatabaseScope(path: parts[4]),
                let endpoint = WireEndpoint(word: "\(parts[5])/\(parts[6])/\(parts[7])")
            else { return nil }
            self = .database(endpoint, container: parts[2], environment: Self.environment(parts[3]), scope)
        // The documented path of subscriptions has no database.
        case ("database", 6) where parts[1] == "1" && parts[4] == "subscriptions":
            guard let endpoint = WireEndpoint(word: "\(parts[4])/\(parts[5])") else { return nil }
            self = .database(endpoint, container: parts[2], environment: Self.environment(parts[3]), .private)
        case ("device", 6) where parts[1] == "1":
            guard let endpoint = WireEndpoint(word: "\(parts[4])/\(parts[5])"), endpoint.isDevice else {
                return nil
            }
            self = .device(endpoint, container: parts[2], environment: Self.environment(parts[3]))
        default: return nil
        }
    }

    /// The route of the target, without anything unfit for a log.
    var route: ServerRoute {
        switch self {
        case .database(let endpoint, _, _, _), .device(let endpoint, _, _): .wire(endpoint)
        case .upload: .address(.upload)
        case .download: .address(.download)
        case .poll: .address(.poll)
        case .signIn: .address(.signIn)
        case .health: .address(.health)
        case .ready: .address(.ready)
        }
    }

    /// The environment in the server's spelling. Clients write `Development` as well as `development`, and mean the
    /// same.
    private static func environment(_ text: String) -> String {
        let lowercased = text.asciiLowercased
        return ["development", "production"].contains(lowercased) ? lowercased : text
    }
}
