import BackstitchSupport
package import Foundation

/// A token as administrators see it, without the secret.
package struct TokenLine: Codable, Sendable, Hashable {
    /// The id of the token, kept across renewals.
    package var id: String
    /// Record name of the user.
    package var user: String?
    /// The only container of an API token.
    package var container: String?
    package var label: String?
    package var isReadOnly: Bool
    package var created: Date
    /// The end of the token's validity; nil for never.
    package var expires: Date?
    /// Seconds of validity after each renewal; nil for a token without renewal.
    package var lifetime: Int64?

    init(_ row: StoredCredential) {
        id = row.id
        user = row.account.isEmpty ? nil : row.account
        container = row.container.isEmpty ? nil : row.container
        label = row.label.isEmpty ? nil : row.label
        isReadOnly = row.isReadOnly
        created = Date(milliseconds: row.created)
        expires = Date.end(milliseconds: row.expires)
        lifetime = row.lifetime == 0 ? nil : row.lifetime / 1000
    }
}
