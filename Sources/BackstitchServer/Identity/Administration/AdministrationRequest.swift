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
