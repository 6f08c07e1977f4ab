import BackstitchSupport
import Foundation

/// An address of a provider, as far as it matters whether it may be asked.
struct ProviderAddress: Sendable, Hashable {
    let isEncrypted: Bool
    let host: String

    /// - Returns: nil for text that is no address of http or https, and for one with a user's name in it.
    init?(_ text: String) {
        guard text.utf8.count <= 2_048, let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme), url.user == nil, let host = url.host, !host.isEmpty
        else { return nil }
        isEncrypted = scheme == "https"
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    }

    /// Whether a provider may send the server here: over TLS anywhere, without it from this machine to this machine.
    func isAllowed(by issuer: ProviderAddress) -> Bool {
        isEncrypted
            || !issuer.isEncrypted && issuer.host.isLoopbackHost
                && host.isLoopbackHost
    }
}
