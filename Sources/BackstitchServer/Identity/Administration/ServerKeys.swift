import BackstitchSupport
package import Foundation

/// A server-to-server key as administrators see it.
package struct ServerKeyLine: Codable, Sendable, Hashable {
    /// The name of the key in requests: 64 hexadecimal digits.
    package var id: String
    /// Record name of the user who the key is.
    package var user: String
    /// The containers that it reaches; empty for all.
    package var containers: [String]
    package var label: String?
    package var created: Date
    /// When it is no longer honoured; nil for never.
    package var expires: Date?

    init(_ row: StoredServerKey) {
        id = row.id
        user = row.account
        containers = row.containers
        label = row.label.isEmpty ? nil : row.label
        created = Date(timeIntervalSince1970: Double(row.created) / 1000)
        expires = row.expires == 0 ? nil : Date(timeIntervalSince1970: Double(row.expires) / 1000)
    }
}

/// Takes the public key of a program that signs its requests.
package struct AddServerKey: AdministrationRequest {
    package static let path = "keys/add"

    /// The record name or the alias of the user who the key is.
    package var user: String
    /// A public key of the curve P-256, as a PEM file or as base64 of its DER form.
    package var publicKey: String
    /// 64 hexadecimal digits; nil for the SHA-256 of the key.
    package var keyID: String?
    /// Nil for all.
    package var containers: [String]?
    package var label: String?
    /// Nil for never.
    package var expires: Date?

    package init(user: String, publicKey: String) {
        self.user = user
        self.publicKey = publicKey
    }

    package func answer(_ identities: Identities) async throws -> ServerKeyLine {
        try IdentityRules.checkLabel(label ?? "")
        let now = identities.now
        if let expires, !(now...(now + 36_600 * 86_400_000)).contains(expires.milliseconds) {
            throw IdentityError(.invalid, "a key ends in the future, within a hundred years")
        }
        let names = Set(containers ?? []).sorted()
        guard names.count <= 100 else { throw IdentityError(.limit, "a key reaches 100 containers at most, or all") }
        for name in names { try IdentityRules.checkContainer(name) }
        let key: ZoneServerConfiguration.ServerKey
        do throws(ZoneServerError) { key = try .init(keyID: keyID, publicKey: publicKey, userRecordName: user) } catch {
            throw IdentityError(.invalid, error.message)
        }
        return try await identities.change { [label, expires] writing, _ in
            if let other = try writing.serverKey(key.keyID) {
                throw IdentityError(.exists, "the key \(other.id) is there already, for \(other.account)")
            }
            guard try writing.serverKeyCount() < IdentityLimits.serverKeys else {
                throw IdentityError(.limit, "there are \(IdentityLimits.serverKeys) keys, as many as there may be")
            }
            let row = StoredServerKey(
                id: key.keyID, publicKey: key.publicKey, account: try writing.requireAccount(user).name,
                containers: names, label: label ?? "", created: now, expires: expires.map(\.milliseconds) ?? 0)
            try writing.insert(row)
            return ServerKeyLine(row)
        }
    }
}

/// Lists server-to-server keys in the order of their ids.
package struct ListServerKeys: AdministrationRequest {
    package static let path = "keys/list"

    /// The last id of the page before.
    package var after: String?
    /// At most 1,000.
    package var limit: Int?

    package init(after: String? = nil, limit: Int? = nil) {
        self.after = after
        self.limit = limit
    }

    package func answer(_ identities: Identities) async throws -> Page<ServerKeyLine> {
        let limit = IdentityRules.limit(limit), mark = try IdentityRules.mark(after)
        let rows = try await identities.storage.read { try $0.serverKeys(after: mark, limit: limit + 1) }
        return Page(rows.map(ServerKeyLine.init), limit: limit, mark: \.id)
    }
}

/// Takes a server-to-server key back.
package struct RevokeServerKey: AdministrationRequest {
    package static let path = "keys/revoke"

    package var id: String

    package init(id: String) { self.id = id }

    package func answer(_ identities: Identities) async throws -> ServerKeyLine {
        let id = id.lowercased()
        return try await identities.change { writing, effects in
            guard RecordRules.isValidUser(id), let key = try writing.serverKey(id) else {
                throw IdentityError(.notFound, "no key has the id '\(id.shown(64))'; `keys list` names them")
            }
            _ = try writing.removeServerKey(id)
            effects.accounts.insert(ByteText(key.account))
            return ServerKeyLine(key)
        }
    }
}
