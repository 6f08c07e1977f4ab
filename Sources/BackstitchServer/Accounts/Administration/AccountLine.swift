import BackstitchSupport
import CloudWire
package import Foundation

/// An account as administrators see it.
package struct AccountLine: Codable, Sendable, Hashable {
    /// The record name: the user's name in records and for clients.
    package var recordName: String
    /// The name for people.
    package var alias: String?
    package var emailAddress: String?
    package var givenName: String?
    package var familyName: String?
    package var isDiscoverable: Bool
    package var created: Date

    init(_ account: StoredAccount) {
        recordName = account.name
        alias = account.alias
        emailAddress = account.emailAddress
        givenName = account.components.givenName
        familyName = account.components.familyName
        isDiscoverable = account.isDiscoverable
        created = Date(milliseconds: account.created)
    }
}
