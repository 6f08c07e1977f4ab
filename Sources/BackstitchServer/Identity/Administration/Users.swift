import BackstitchSupport
import CloudWire
package import Foundation

/// An account as administrators see it.
package struct AccountLine: Codable, Sendable, Hashable {
    /// The record name, by which records and clients know the user.
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
        created = Date(timeIntervalSince1970: Double(account.created) / 1000)
    }
}

/// Makes an account.
package struct AddUser: AdministrationRequest {
    package static let path = "users/add"

    package var alias: String?
    /// Nil for a new one of CloudKit's form; given for a user who has records under a name already.
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

/// Changes what an account says of its user. An empty text takes a value away; what is not given stays.
package struct SetUser: AdministrationRequest {
    package static let path = "users/set"

    /// The record name or the alias.
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

/// Removes an account with its tokens and keys. The user's records stay.
package struct RemoveUser: AdministrationRequest {
    package static let path = "users/remove"

    /// The record name or the alias.
    package var user: String

    package init(user: String) { self.user = user }

    package func answer(_ identities: Identities) async throws -> AccountLine {
        try await identities.change { writing, effects in
            let account = try writing.requireAccount(user)
            try writing.removeAccount(named: account.name)
            effects.accounts.insert(ByteText(account.name))
            return AccountLine(account)
        }
    }
}

/// Lists accounts in the order of their record names.
package struct ListUsers: AdministrationRequest {
    package static let path = "users/list"

    /// The last record name of the page before.
    package var after: String?
    /// At most 1,000.
    package var limit: Int?

    package init(after: String? = nil, limit: Int? = nil) {
        self.after = after
        self.limit = limit
    }

    package func answer(_ identities: Identities) async throws -> Page<AccountLine> {
        let limit = IdentityRules.limit(limit), mark = try IdentityRules.mark(after)
        let rows = try await identities.storage.read { try $0.accounts(after: mark, limit: limit + 1) }
        return Page(rows.map(AccountLine.init), limit: limit, mark: \.recordName)
    }
}

/// A part of a list.
package struct Page<Line: Codable & Sendable>: Codable, Sendable {
    package var lines: [Line]
    /// The mark with which to ask for the lines after these; nil when these are the last ones.
    package var next: String?

    /// - Parameters:
    ///   - lines: One more than the limit when there are more.
    ///   - mark: The value by which the list is ordered.
    init(_ lines: [Line], limit: Int, mark: (Line) -> String) {
        self.lines = Array(lines.prefix(limit))
        next = lines.count > limit ? self.lines.last.map(mark) : nil
    }
}

extension StoredAccount {
    /// Checks the values that differ from those before.
    ///
    /// - Throws: ``IdentityError`` for a value that is none, and for one that another account has.
    fileprivate func check(against before: StoredAccount?, _ writing: any ZoneWriting) throws {
        for part in [components.givenName, components.familyName].compactMap(\.self) {
            try IdentityRules.checkNamePart(part)
        }
        if let alias, alias != before?.alias {
            try IdentityRules.checkAlias(alias)
            if let other = try writing.account(named: alias), other.name != name {
                throw IdentityError(.exists, "'\(alias)' is the name or the alias of the account \(other.name)")
            }
        }
        if let emailAddress, emailAddress != before?.emailAddress {
            try IdentityRules.checkAddress(emailAddress)
            if let other = try writing.account(addressed: emailAddress), other.name != name {
                throw IdentityError(.exists, "\(emailAddress) is the address of the account \(other.name)")
            }
        }
    }
}
