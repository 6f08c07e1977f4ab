import BackstitchSupport

/// A request of an administrator. It works the same way in a command with an open storage and in a running server.
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

    /// Carries out the request.
    ///
    /// - Throws: ``IdentityError``, and the storage's error.
    func answer(_ identities: Identities) async throws -> Answer
}

extension ZoneSnapshot {
    /// The account with a record name or an alias.
    ///
    /// - Throws: ``IdentityError`` if there is none.
    func requireAccount(_ name: String) throws -> StoredAccount {
        guard RecordRules.isValidUser(name), let account = try account(named: name) else {
            throw IdentityError(
                .notFound,
                """
                no account is called '\(name.shown())'; `users list` names all accounts. A user in the file of \
                --users has no account until `users add --record-name` makes one
                """)
        }
        return account
    }
}
