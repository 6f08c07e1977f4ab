import BackstitchSupport

/// Something that an administrator asks for: the same whether a command does it in a storage that it has opened, or
/// asks a running server for it.
///
/// ```swift
/// let account = try await AddUser(alias: "ada").answer(identities)
/// ```
///
/// Over HTTP it is `POST /admin/` and the path, with the request as JSON in the body, and the answer as JSON.
package protocol AdministrationRequest: Codable, Sendable {
    associatedtype Answer: Codable & Sendable

    /// The route, such as `users/add`.
    static var path: String { get }

    /// Does it.
    ///
    /// - Throws: ``IdentityError``, and what the storage throws.
    func answer(_ identities: Identities) async throws -> Answer
}

/// All that administrators can ask for.
package enum AdministrationRequests {
    /// A kind of request that is added needs a line here, and one in the tests' table of callers.
    package static let all: [any AdministrationRequest.Type] = [
        AddUser.self,
        SetUser.self,
        RemoveUser.self,
        ListUsers.self,
        AddToken.self,
        ListTokens.self,
        RevokeToken.self,
        AddServerKey.self,
        ListServerKeys.self,
        RevokeServerKey.self,
        AddContainer.self,
        ListContainers.self,
        RemoveContainer.self,
    ]

    static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })
}

/// An answer that says nothing but that it is done.
package struct Done: Codable, Sendable, Hashable {
    package init() {}
}

/// The rules for values that administrators give.
enum IdentityRules {
    /// Names that CloudKit and this server use for what is no user's account.
    private static let reserved: Set<String> = [
        "_defaultOwner", "__defaultOwner__", RequestScope.world, "_icloud", "_creator", Authenticator.developmentUser,
    ]

    /// - Throws: ``IdentityError`` for a text that no record can bear as a user's name, or that means another thing.
    static func checkRecordName(_ name: String) throws(IdentityError) {
        guard RecordRules.isValidUser(name), !name.contains(where: \.isWhitespace), !reserved.contains(name) else {
            throw IdentityError(
                .invalid,
                """
                a record name is 1 to 255 bytes without spaces, and none of \(reserved.sorted().joined(separator: ", "))
                """)
        }
    }

    static func checkAlias(_ alias: String) throws(IdentityError) {
        guard RecordRules.isValidUser(alias), !alias.contains(where: \.isWhitespace), !alias.hasPrefix("_") else {
            throw IdentityError(
                .invalid, "a user's alias is 1 to 255 bytes without spaces, and does not begin with '_'")
        }
    }

    static func checkAddress(_ address: String) throws(IdentityError) {
        guard ZoneServerConfiguration.isAddress(address) else {
            throw IdentityError(.invalid, "'\(address.shown())' is no e-mail address")
        }
    }

    static func checkNamePart(_ part: String) throws(IdentityError) {
        guard RecordRules.isValidUser(part) else {
            throw IdentityError(.invalid, "a part of a name is 1 to 255 bytes without control characters")
        }
    }

    static func checkLabel(_ label: String) throws(IdentityError) {
        guard label.isEmpty || RecordRules.isValidUser(label), label.utf8.count <= IdentityLimits.label else {
            throw IdentityError(
                .invalid, "a label has at most \(IdentityLimits.label) bytes, and no control characters")
        }
    }

    static func checkContainer(_ name: String) throws(IdentityError) {
        if let fault = ServedContainers.declared([name]).fault { throw IdentityError(.invalid, fault) }
    }

    /// Where a page begins.
    static func mark(_ after: String?) throws(IdentityError) -> String {
        guard let after, !after.isEmpty else { return "" }
        guard RecordRules.isValidUser(after) else {
            throw IdentityError(.invalid, "'after' is the last name or id of the page before")
        }
        return after
    }

    /// How many rows are asked for: as many as an answer may have unless fewer are.
    static func limit(_ asked: Int?) -> Int { min(max(asked ?? IdentityLimits.page, 1), IdentityLimits.page) }
}

extension ZoneReading {
    /// The account of a record name or an alias.
    ///
    /// - Throws: ``IdentityError`` when there is none.
    func requireAccount(_ name: String) throws -> StoredAccount {
        guard RecordRules.isValidUser(name), let account = try account(named: name) else {
            throw IdentityError(
                .notFound,
                """
                no account is called '\(name.shown())'; `users list` names them, and a user of the file of --users has \
                none before `users add --record-name` makes it
                """)
        }
        return account
    }
}
