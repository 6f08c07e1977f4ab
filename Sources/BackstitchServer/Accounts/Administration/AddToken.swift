import BackstitchSupport
package import Foundation

/// Makes a token: of a user, of a program, or of an administrator.
package struct AddToken: AdministrationRequest {
    package static let path = "tokens/add"

    package var kind: TokenKind
    /// The record name or the alias of the token's user.
    package var user: String?
    /// The only container of an API token; nil for all.
    package var container: String?
    package var label: String?
    package var isReadOnly: Bool?
    /// Validity of a user's token, in seconds. The server renews the token while it is in use.
    package var lifetime: Int64?
    /// The final end of the token. Without an end and a lifetime it is valid until it is revoked.
    package var expires: Date?

    package init(_ kind: TokenKind, user: String? = nil) {
        self.kind = kind
        self.user = user
    }

    package func answer(_ identities: Identities) async throws -> MadeToken {
        try check(at: identities.now)
        let secret = identities.secret(), now = identities.now
        var row = StoredCredential(
            digest: TokenDigest(of: secret), id: identities.tokenID(), kind: kind.stored, account: "", created: now)
        row.container = container ?? ""
        row.label = label ?? ""
        row.isReadOnly = isReadOnly ?? false
        row.lifetime = (lifetime ?? 0) * 1_000
        row.expires = expires.map(\.milliseconds) ?? (row.lifetime == 0 ? 0 : now + row.lifetime)
        return try await identities.change { [row] writing, effects in
            var row = row
            if let user { row.account = try writing.requireAccount(user).name }
            let (limit, place) = limit
            guard try writing.credentialCount(kind.stored, of: row.account, at: now) < limit else {
                throw IdentityError(.limit, "\(place) has \(limit) tokens, which is the limit; revoke some first")
            }
            try writing.insert(row)
            // Servers remember whether requests need an API token, so they must read it again.
            if kind == .api { effects.accounts.insert(ByteText("")) }
            return MadeToken(token: TokenLine(row), secret: secret)
        }
    }

    private func check(at now: Int64) throws(IdentityError) {
        guard (kind == .user) == (user != nil) else {
            throw IdentityError(.invalid, "a user's token must name its user; other tokens must not name one")
        }
        guard container == nil || kind == .api else {
            throw IdentityError(.invalid, "only an API token can be limited to one container")
        }
        guard isReadOnly != true || kind == .user else {
            throw IdentityError(.invalid, "only a user's token can be read-only")
        }
        guard lifetime == nil || kind == .user && expires == nil else {
            throw IdentityError(
                .invalid, "only a user's token can have a lifetime; such a token is renewed, and has no other end")
        }
        if let container { try IdentityRules.checkContainer(container) }
        try IdentityRules.checkLabel(label ?? "")
        if let lifetime { _ = try Identities.milliseconds(.seconds(lifetime)) }
        if let expires, !(now...(now + 36_600 * 86_400_000)).contains(expires.milliseconds) {
            throw IdentityError(.invalid, "a token must end in the future, within a hundred years")
        }
    }

    private var limit: (count: Int, place: String) {
        switch kind {
        case .user: (IdentityLimits.tokens, "the user")
        case .api: (IdentityLimits.apiTokens, "the storage")
        case .administrator: (IdentityLimits.administrators, "the administration")
        }
    }
}
