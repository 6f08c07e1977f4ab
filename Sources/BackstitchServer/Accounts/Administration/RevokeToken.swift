import BackstitchSupport

/// Revokes a token, with all tokens made from it by renewal.
package struct RevokeToken: AdministrationRequest {
    package static let path = "tokens/revoke"

    package var kind: TokenKind
    package var id: String

    package init(_ kind: TokenKind, id: String) {
        self.kind = kind
        self.id = id
    }

    package func answer(_ identities: Identities) async throws -> TokenLine {
        try await identities.change(frees: true) { writing, effects in
            let gone = try RecordRules.isValidUser(id) ? writing.removeCredentials(kind.stored, id: id) : []
            guard let last = gone.max(by: { $0.created < $1.created }) else {
                throw IdentityError(
                    .notFound, "no \(kind.rawValue) token has the id '\(id.shown(40))'; `tokens list` names them")
            }
            effects.accounts.insert(ByteText(last.account))
            return TokenLine(last)
        }
    }
}
