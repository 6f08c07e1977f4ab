/// The trusted proxies before a server. They name the caller in a header.
///
/// A request from a trusted proxy counts for the caller named in the header: the last address there that is no trusted
/// proxy. If there is no such address, the request counts for the outermost known proxy. The header of any other sender
/// is ignored, because a caller may write anything into it.
///
/// ```swift
/// configuration.trustedProxies = try TrustedProxies(["10.0.0.0/8", "::1"], header: .forwarded)
/// ```
public struct TrustedProxies: Sendable, Hashable {
    /// The header with the caller's address.
    public enum Header: String, Sendable, Hashable, CaseIterable {
        /// The header of RFC 7239: `for=192.0.2.7;proto=https`.
        case forwarded = "Forwarded"
        /// The older header: `192.0.2.7, 10.0.0.2`.
        case xForwardedFor = "X-Forwarded-For"
    }

    /// The header written by the proxies. If a caller has sent it, they must drop it or add to it.
    public let header: Header
    let networks: [AddressNetwork]

    /// Creates the set of proxies at the addresses of networks.
    ///
    /// - Parameter networks: Each an address, or an address and the length of its prefix: `10.0.0.0/8`, `fd00::/8`.
    /// - Throws: ``ZoneServerError`` for a malformed network, and for an empty list.
    public init(_ networks: [String], header: Header = .xForwardedFor) throws(ZoneServerError) {
        guard !networks.isEmpty else {
            throw ZoneServerError(
                .invalidConfiguration, "trustedProxies (--trusted-proxy) needs a network, such as 10.0.0.0/8")
        }
        self.header = header
        var parsed: [AddressNetwork] = []
        for text in networks {
            guard let network = AddressNetwork(text) else {
                throw ZoneServerError(
                    .invalidConfiguration,
                    "trustedProxies (--trusted-proxy) takes addresses and networks such as 10.0.0.2, 10.0.0.0/8 and "
                        + "fd00::/8, not \"\(text.prefix(80))\"")
            }
            parsed.append(network)
        }
        self.networks = parsed
    }

    func contains(_ address: MachineAddress) -> Bool { networks.contains { $0.contains(address) } }

    /// The machine of a request's caller.
    ///
    /// - Parameter peer: The other end of the connection.
    /// - Parameter values: The values of ``header`` in the request, in their order.
    func caller(_ peer: MachineAddress, _ values: [String]) -> MachineAddress {
        guard contains(peer) else { return peer }
        let named = values.flatMap { header.addresses(in: $0) }
        var last = peer
        for text in named.reversed() {
            // An obfuscated name ("unknown", "_hidden") hides all machines behind it.
            guard let address = text.flatMap(MachineAddress.init(withPort:)) else { return last }
            if !contains(address) { return address }
            last = address
        }
        return last
    }
}

extension TrustedProxies.Header {
    /// The machines named in one value of the header; nil for an element without a name.
    fileprivate func addresses(in value: String) -> [String?] {
        switch self {
        case .xForwardedFor:
            Self.split(value, at: UInt8(ascii: ",")).map { Self.unquoted($0) }
        case .forwarded:
            Self.split(value, at: UInt8(ascii: ",")).map { element in
                let pairs = Self.split(element, at: UInt8(ascii: ";"))
                let node = pairs.first { pair in
                    let name = pair.utf8.prefix(4).map { $0 | 0x20 }
                    return name == Array("for=".utf8).map { $0 | 0x20 }
                }
                return node.map { Self.unquoted(String(decoding: $0.utf8.dropFirst(4), as: UTF8.self)) }
            }
        }
    }

    /// The parts between unquoted separators, without surrounding white space.
    private static func split(_ text: String, at separator: UInt8) -> [String] {
        var parts: [[UInt8]] = [[]], isQuoted = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == separator, !isQuoted { parts.append([]) } else { parts[parts.count - 1].append(byte) }
        }
        return parts.map { part in
            let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
            return String(decoding: part.drop(while: isBlank).reversed().drop(while: isBlank).reversed(), as: UTF8.self)
        }
    }

    private static func unquoted(_ text: String) -> String {
        let bytes = Array(text.utf8), quote = UInt8(ascii: "\"")
        guard bytes.count >= 2, bytes.first == quote, bytes.last == quote else { return text }
        return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    }
}
