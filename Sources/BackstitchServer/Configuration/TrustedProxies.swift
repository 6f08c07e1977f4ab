/// The proxies before a server, which say for whom they ask.
///
/// A request that comes from one of them is the caller's whom it names: of the addresses in the header the last one
/// that is no trusted proxy's. Where the header is missing, or names none, it is the proxy's own. Everybody else's
/// header is left unread, since whoever sends a request may write what he likes into it.
///
/// ```swift
/// configuration.trustedProxies = try TrustedProxies(["10.0.0.0/8", "::1"], header: .forwarded)
/// ```
public struct TrustedProxies: Sendable, Hashable {
    /// The header in which a proxy names the caller.
    public enum Header: String, Sendable, Hashable, CaseIterable {
        /// The header of RFC 7239: `for=192.0.2.7;proto=https`.
        case forwarded = "Forwarded"
        /// The older one: `192.0.2.7, 10.0.0.2`.
        case xForwardedFor = "X-Forwarded-For"
    }

    /// The header that the proxies write. They must drop it, or add to it, where a caller has sent it.
    public let header: Header
    let networks: [AddressNetwork]

    /// Proxies at the addresses of networks.
    ///
    /// - Parameter networks: Each an address, or an address and the length of its prefix: `10.0.0.0/8`, `fd00::/8`.
    /// - Throws: ``ZoneServerError`` for a text that is none, and where there is none.
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

    /// The machine that a request is from.
    ///
    /// - Parameters:
    ///   - peer: The other end of the connection.
    ///   - values: The values of ``header`` in the request, in their order.
    func caller(_ peer: MachineAddress, _ values: [String]) -> MachineAddress {
        guard contains(peer) else { return peer }
        let named = values.flatMap { header.addresses(in: $0) }
        var last = peer
        for text in named.reversed() {
            // A name that is no address ("unknown", "_hidden") hides what is behind it.
            guard let address = text.flatMap(MachineAddress.init(withPort:)) else { return last }
            if !contains(address) { return address }
            last = address
        }
        return last
    }
}

extension TrustedProxies.Header {
    /// The texts that name machines in one value of the header; nil for an element that names none.
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

    /// The parts between separators that are in no quotes, without the white space around them.
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
