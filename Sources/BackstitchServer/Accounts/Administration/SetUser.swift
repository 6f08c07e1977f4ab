import BackstitchSupport
import CloudWire
import Foundation

/// Changes an account's facts about its user. An empty text removes a value; a missing one changes nothing.
package struct SetUser: AdministrationRequest {
    package static let path = "users/set"

    /// The record name or the alias of the user.
    package var user: String
    package var alias: String?
    package var emailAddress: String?
    package var givenName: String?
    package var familyName: String?
    package var isDiscoverable: Bool?

    package init(user: String) { self.user = user }

    package func answer(_ identities: Identities) async throws -> AccountLine {
        try await identities.change { writing, effects in
            let before = try writing.requireAccount(user)
            var account = before
            Self.set(alias, &account.alias)
            Self.set(emailAddress, &account.emailAddress)
            Self.set(givenName, &account.components.givenName)
            Self.set(familyName, &account.components.familyName)
            account.isDiscoverable = isDiscoverable ?? account.isDiscoverable
            try account.check(against: before, writing)
            try writing.update(account)
            effects.accounts.insert(ByteText(account.name))
            return AccountLine(account)
        }
    }

    private static func set(_ given: String?, _ value: inout String?) {
        if let given { value = given.isEmpty ? nil : given }
    }
}
