import BackstitchSupport
import CloudWire
import Foundation

/// Makes an account for a user, without a token.
package struct AddUser: AdministrationRequest {
    package static let path = "users/add"

    package var alias: String?
    /// Nil for a new name in CloudKit's form. Give it for a user with records under an older name.
    package var recordName: String?
    package var emailAddress: String?
    package var givenName: String?
    package var familyName: String?
    package var isDiscoverable: Bool?

    package init(alias: String? = nil, recordName: String? = nil) {
        self.alias = alias
        self.recordName = recordName
    }

    package func answer(_ identities: Identities) async throws -> AccountLine {
        var account = StoredAccount(name: recordName ?? identities.recordName(), created: identities.now)
        if let recordName { try IdentityRules.checkRecordName(recordName) }
        account.alias = alias
        account.emailAddress = emailAddress
        account.components = UserNameComponents(givenName: givenName, familyName: familyName)
        account.isDiscoverable = isDiscoverable ?? false
        return try await identities.change { [account] writing, _ in
            if try writing.account(named: account.name) != nil {
                throw IdentityError(.exists, "'\(account.name)' is the name or the alias of an account already")
            }
            try account.check(against: nil, writing)
            try writing.insert(account)
            return AccountLine(account)
        }
    }
}
