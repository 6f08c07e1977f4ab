import BackstitchSupport
package import Foundation

/// The kinds of tokens, as administrators name them.
package enum TokenKind: String, Codable, Sendable, CaseIterable {
    /// A user's token.
    case user
    /// A program's token, which all who have the program share.
    case api
    /// A token for the administration.
    case administrator

    var stored: StoredCredential.Kind {
        switch self {
        case .user: .web
        case .api: .api
        case .administrator: .administrator
        }
    }
}

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

/// A token that was made, with its secret: nobody sees that again.
package struct MadeToken: Codable, Sendable, Hashable {
    package var token: TokenLine
    package var secret: String
}

/// Makes a token: of a user, of a program, or of an administrator.
package struct AddToken: AdministrationRequest {
    package static let path = "tokens/add"

    package var kind: TokenKind
    /// The record name or the alias of the user whose token it is.
    package var user: String?
    /// The only container that an API token is for; nil for all.
    package var container: String?
    package var label: String?
    package var isReadOnly: Bool?
    /// Seconds for which a user's token is good, and for which the server renews it while it is used.
    package var lifetime: Int64?
    /// When it ends for good. Without this and a lifetime it ends when it is revoked.
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
                throw IdentityError(.limit, "\(place) has \(limit) tokens, as many as there may be; revoke some first")
            }
            try writing.insert(row)
            // Whether requests need an API token is remembered.
            if kind == .api { effects.accounts.insert(ByteText("")) }
            return MadeToken(token: TokenLine(row), secret: secret)
        }
    }

    private func check(at now: Int64) throws(IdentityError) {
        guard (kind == .user) == (user != nil) else {
            throw IdentityError(.invalid, "a user's token names its user, and no other token does")
        }
        guard container == nil || kind == .api else {
            throw IdentityError(.invalid, "an API token alone is for one container")
        }
        guard isReadOnly != true || kind == .user else {
            throw IdentityError(.invalid, "a user's token alone can be one that only reads")
        }
        guard lifetime == nil || kind == .user && expires == nil else {
            throw IdentityError(
                .invalid, "a user's token alone has a lifetime, for which it is renewed, and then no other end")
        }
        if let container { try IdentityRules.checkContainer(container) }
        try IdentityRules.checkLabel(label ?? "")
        if let lifetime { _ = try Identities.milliseconds(.seconds(lifetime)) }
        if let expires, !(now...(now + 36_600 * 86_400_000)).contains(expires.milliseconds) {
            throw IdentityError(.invalid, "a token ends in the future, within a hundred years")
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

/// Lists tokens of a kind in the order of their ids.
package struct ListTokens: AdministrationRequest {
    package static let path = "tokens/list"

    package var kind: TokenKind
    /// The record name or the alias of a user; nil for all.
    package var user: String?
    /// The last id of the page before.
    package var after: String?
    /// At most 1,000.
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

/// Takes a token back, with those that the server has made in its place.
package struct RevokeToken: AdministrationRequest {
    package static let path = "tokens/revoke"

    package var kind: TokenKind
    package var id: String

    package init(_ kind: TokenKind, id: String) {
        self.kind = kind
        self.id = id
    }

    package func answer(_ identities: Identities) async throws -> TokenLine {
        try await identities.change { writing, effects in
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

extension Date {
    /// Milliseconds since 1970, of dates that a number of 64 bits can say.
    var milliseconds: Int64 { Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) ?? 0 }
}
