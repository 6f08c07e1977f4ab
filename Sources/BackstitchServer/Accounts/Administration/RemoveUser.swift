import BackstitchSupport
import CloudWire

/// Removes an account with its tokens and keys. The user's records stay.
package struct RemoveUser: AdministrationRequest {
    package static let path = "users/remove"

    /// The record name or the alias of the user.
    package var user: String

    package init(user: String) { self.user = user }

    package func answer(_ identities: Identities) async throws -> AccountLine {
        try await identities.change(frees: true) { writing, effects in
            let account = try writing.requireAccount(user)
            try writing.removeAccount(named: account.name)
            effects.accounts.insert(ByteText(account.name))
            return AccountLine(account)
        }
    }
}
