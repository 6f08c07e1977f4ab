import BackstitchSupport
import Foundation

/// Lists tokens of a kind in the order of their ids.
package struct ListTokens: AdministrationRequest {
    package static let path = "tokens/list"

    package var kind: TokenKind
    /// The record name or the alias of a user; nil for the tokens of all users.
    package var user: String?
    /// The last id of the previous page.
    package var after: String?
    /// Most rows in the answer: at most 1,000.
    package var limit: Int?

    package init(_ kind: TokenKind, user: String? = nil, after: String? = nil, limit: Int? = nil) {
        self.kind = kind
        self.user = user
        self.after = after
        self.limit = limit
    }

    package func answer(_ identities: Identities) async throws -> Page<TokenLine> {
        let limit = IdentityRules.limit(limit), mark = try IdentityRules.mark(after)
        let rows = try await identities.storage.read { reading in
            try reading.credentials(
                kind.stored, of: try user.map { try reading.requireAccount($0).name }, after: mark,
                limit: limit + 1)
        }
        return Page(rows.map(TokenLine.init), limit: limit, mark: \.id)
    }
}
