import BackstitchSupport
package import Foundation

/// A token as administrators see it: all but the secret.
package struct TokenLine: Codable, Sendable, Hashable {
    /// Names the token, also after the server has renewed it.
    package var id: String
    /// Record name of the user.
    package var user: String?
    /// The only container of an API token.
    package var container: String?
    package var label: String?
    package var isReadOnly: Bool
    package var created: Date
    /// When it is no longer honoured; nil for never.
    package var expires: Date?
    /// Seconds for which the server renews it; nil for one that it does not renew.
    package var lifetime: Int64?

    init(_ row: StoredCredential) {
        id = row.id
        user = row.account.isEmpty ? nil : row.account
        container = row.container.isEmpty ? nil : row.container
        label = row.label.isEmpty ? nil : row.label
        isReadOnly = row.isReadOnly
        created = Date(timeIntervalSince1970: Double(row.created) / 1000)
        expires = row.expires == 0 ? nil : Date(timeIntervalSince1970: Double(row.expires) / 1000)
        lifetime = row.lifetime == 0 ? nil : row.lifetime / 1000
    }
}
