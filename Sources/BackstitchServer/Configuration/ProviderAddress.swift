import BackstitchSupport
import Foundation

/// A provider's address, reduced to the facts for one decision: whether the server may call it.
struct ProviderAddress: Sendable, Hashable {
    let isEncrypted: Bool
    let host: String

    /// Reads an address from text.
    ///
    /// - Returns: nil for text without an http or https address, and for one with a user name.
    init?(_ text: String) {
        guard text.utf8.count <= 2_048, let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme), url.user == nil, let host = url.host, !host.isEmpty
        else { return nil }
        isEncrypted = scheme == "https"
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    }

    /// Whether a provider may refer the server to this address. TLS is allowed anywhere. Plain HTTP is allowed only
    /// between loopback addresses.
    func isAllowed(by issuer: ProviderAddress) -> Bool {
        isEncrypted
            || !issuer.isEncrypted && issuer.host.isLoopbackHost
                && host.isLoopbackHost
    }
}
