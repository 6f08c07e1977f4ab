import BackstitchSupport
import NIOCore

/// The address of a machine: 4 bytes of IPv4, or 16 of IPv6. An IPv4 address mapped into IPv6 becomes the IPv4 address.
struct MachineAddress: Sendable, Hashable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) {
        // RFC 4291, 2.5.5.2.
        let isMapped = bytes.count == 16 && bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        self.bytes = isMapped ? Array(bytes.suffix(4)) : bytes
    }

    /// The address of a socket; nil for a socket of the file system.
    init?(_ address: SocketAddress) {
        // The bytes are taken by position, behind family and port, and for IPv6 behind the flow (RFC 3493, 3.3). The
        // fields cannot be named, since their module depends on the order of C headers in the compiler.
        switch address {
        case .v4(let address): self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[4..<8]) })
        case .v6(let address): self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[8..<24]) })
        default: return nil
        }
    }

    /// Reads an address from text: `192.0.2.7` or `2001:db8::7`.
    init?(_ text: String) {
        guard text.utf8.count <= Self.longest, let address = try? SocketAddress(ipAddress: text, port: 0) else {
            return nil
        }
        self.init(address)
    }

    /// Reads an address in the form of proxies, with or without a port: `192.0.2.7:4711`, `[2001:db8::7]:4711`.
    init?(withPort text: String) {
        let bytes = Array(text.utf8)
        if bytes.first == UInt8(ascii: "["), let end = bytes.firstIndex(of: UInt8(ascii: "]")) {
            guard end + 1 == bytes.count || bytes[end + 1] == UInt8(ascii: ":") else { return nil }
            self.init(String(decoding: bytes[1..<end], as: UTF8.self))
            return
        }
        let colons = bytes.indices.filter { bytes[$0] == UInt8(ascii: ":") }
        guard colons.count == 1 else {
            self.init(text)
            return
        }
        self.init(String(decoding: bytes[..<colons[0]], as: UTF8.self))
    }

    /// The machine for limits: its IPv4 address, or its network for IPv6. One caller has all addresses of an IPv6
    /// network.
    var network: String {
        bytes.count == 4 ? bytes.map { String($0) }.joined(separator: ".") : Array(bytes.prefix(8)).base64URL
    }

    /// Characters of the longest address.
    private static let longest = 45
}

extension SocketAddress {
    /// The machine of a connection, for limits. Empty for a socket of the file system.
    var network: String { MachineAddress(self)?.network ?? "" }
}
