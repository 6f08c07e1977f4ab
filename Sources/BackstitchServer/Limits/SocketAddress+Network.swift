import BackstitchSupport
import NIOCore

extension SocketAddress {
    /// The machine of a connection, for limits: its IPv4 address, or of an IPv6 address the network, of which one
    /// caller has all addresses. Empty for a socket of the file system.
    var network: String {
        guard case .v6(let address) = self else { return ipAddress ?? "" }
        // By position, 16 bytes behind family, port and flow (RFC 3493, 3.3): which module owns the structure's fields
        // depends on the order in which the compiler meets the C headers.
        let bytes = withUnsafeBytes(of: address.address) { Array($0[8..<24]) }
        // An IPv4 address in an IPv6 one stands at the end.
        let isMapped = bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        guard isMapped else { return Array(bytes.prefix(8)).base64URL }
        return bytes.suffix(4).map { String($0) }.joined(separator: ".")
    }
}
