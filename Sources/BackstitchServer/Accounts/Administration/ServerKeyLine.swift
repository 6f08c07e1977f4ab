import BackstitchSupport
package import Foundation

/// A server-to-server key as administrators see it.
package struct ServerKeyLine: Codable, Sendable, Hashable {
    /// The name of the key in requests: 64 hexadecimal digits.
    package var id: String
    /// Record name of the key's user.
    package var user: String
    /// The containers within the key's reach; empty for all.
    package var containers: [String]
    package var label: String?
    package var created: Date
    /// The end of the key's validity; nil for never.
    package var expires: Date?

    init(_ row: StoredServerKey) {
        id = row.id
        user = row.account
        containers = row.containers
        label = row.label.isEmpty ? nil : row.label
        created = Date(milliseconds: row.created)
        expires = Date.end(milliseconds: row.expires)
    }
}
