import BackstitchSupport

/// Revokes a server-to-server key. Its records stay.
package struct RevokeServerKey: AdministrationRequest {
    package static let path = "keys/revoke"

    package var id: String

    package init(id: String) { self.id = id }

    package func answer(_ identities: Identities) async throws -> ServerKeyLine {
        let id = id.lowercased()
        return try await identities.change(frees: true) { writing, effects in
            guard RecordRules.isValidUser(id), let key = try writing.serverKey(id) else {
                throw IdentityError(.notFound, "no key has the id '\(id.shown(64))'; `keys list` names them")
            }
            _ = try writing.removeServerKey(id)
            effects.accounts.insert(ByteText(key.account))
            return ServerKeyLine(key)
        }
    }
}
