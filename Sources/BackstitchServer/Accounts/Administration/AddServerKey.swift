import BackstitchSupport
package import Foundation

/// Adds the public key of a program with signed requests.
package struct AddServerKey: AdministrationRequest {
    package static let path = "keys/add"

    /// The record name or the alias of the key's user.
    package var user: String
    /// A public key of the curve P-256, as a PEM file or as base64 of its DER form.
    package var publicKey: String
    /// 64 hexadecimal digits; nil for the SHA-256 of the key.
    package var keyID: String?
    /// The containers within the key's reach; nil for all.
    package var containers: [String]?
    package var label: String?
    /// The end of the key's validity; nil for never.
    package var expires: Date?

    package init(user: String, publicKey: String) {
        self.user = user
        self.publicKey = publicKey
    }

    package func answer(_ identities: Identities) async throws -> ServerKeyLine {
        try IdentityRules.checkLabel(label ?? "")
        let now = identities.now
        if let expires, !(now...(now + 36_600 * 86_400_000)).contains(expires.milliseconds) {
            throw IdentityError(.invalid, "a key must end in the future, within a hundred years")
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
                throw IdentityError(.exists, "the key \(other.id) already exists, for \(other.account)")
            }
            guard try writing.serverKeyCount() < IdentityLimits.serverKeys else {
                throw IdentityError(
                    .limit, "there are \(IdentityLimits.serverKeys) keys, which is the limit; revoke some first")
            }
            let row = StoredServerKey(
                id: key.keyID, publicKey: key.publicKey, account: try writing.requireAccount(user).name,
                containers: names, label: label ?? "", created: now, expires: expires.map(\.milliseconds) ?? 0)
            try writing.insert(row)
            return ServerKeyLine(row)
        }
    }
}
