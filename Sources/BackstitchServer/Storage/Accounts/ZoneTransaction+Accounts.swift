import BackstitchSQL
import CloudWire

/// Accounts and their bindings to sign-in providers.
extension ZoneSnapshot {
    fileprivate static let columns = "name, alias, email, components, discoverable, created"

    fileprivate static func account(_ row: any SQLRow) throws -> StoredAccount {
        StoredAccount(
            name: row.text(0), alias: row.optionalText(1), emailAddress: row.optionalText(2),
            components: try UserNameComponents(wireJSON: Array(row.text(3).utf8)), isDiscoverable: row.int(4) != 0,
            created: row.int(5))
    }

    /// The account with this record name or alias.
    func account(named name: String) throws -> StoredAccount? {
        try one(
            "SELECT \(names: Self.columns) FROM account WHERE name = \(name) OR alias = \(name)", Self.account)
    }

    /// The account with this mail address.
    func account(addressed address: String) throws -> StoredAccount? {
        try one(
            "SELECT \(names: Self.columns) FROM account WHERE email_key = \(FindableUsers.key(address))", Self.account)
    }

    /// A page of accounts in the order of their record names, after `name`.
    func accounts(after name: String, limit: Int) throws -> [StoredAccount] {
        try all(
            "SELECT \(names: Self.columns) FROM account WHERE name > \(name) ORDER BY name LIMIT \(limit)",
            Self.account)
    }

    /// The accounts with these record names and addresses, if they have a valid token or key.
    ///
    /// - Parameter addresses: As ``FindableUsers/key(_:)`` writes them.
    func accounts(named names: [String], addresses: [String], at now: Int64) throws -> [StoredAccount] {
        let isHonoured: SQLText = """
            (EXISTS (SELECT 1 FROM credential WHERE credential.account = account.name
                    AND (expires = 0 OR expires > \(now)))
                OR EXISTS (SELECT 1 FROM server_key WHERE server_key.account = account.name
                    AND (expires = 0 OR expires > \(now))))
            """
        let isNamed: SQLText = "name = wanted AND \(isHonoured)"
        let isAddressed: SQLText = "email_key = wanted AND \(isHonoured)"
        return try all(
            """
            SELECT \(names: Self.columns) FROM \(texts: try list(names))\(lookUp: "account", where: isNamed)
            UNION SELECT \(names: Self.columns)
            FROM \(texts: try list(addresses))\(lookUp: "account", where: isAddressed)
            """, Self.account)
    }
}

/// The writes of accounts and their bindings.
extension ZoneTransaction {
    /// The account bound to a user of a sign-in provider. It cannot be removed before the transaction ends.
    func account(issuer: String, subject: String) throws -> StoredAccount? {
        let name = try one("SELECT account FROM sign_in WHERE issuer = \(issuer) AND subject = \(subject)") {
            $0.text(0)
        }
        guard let name else { return nil }
        // The lock keeps the account until its new token is stored.
        return try one(
            "SELECT \(names: Self.columns) FROM account WHERE name = \(name)\(lock: .keyShare)", Self.account)
    }

    /// Adds an account. Its record name, alias and address must be free.
    func insert(_ account: StoredAccount) throws {
        try execute(
            """
            INSERT INTO account (name, alias, email, email_key, components, discoverable, created)
            VALUES (\(account.name), \(account.alias), \(account.emailAddress),
                \(account.emailAddress.map(FindableUsers.key)), \(try account.componentsText()),
                \(account.isDiscoverable ? 1 : 0), \(account.created))
            """)
    }

    /// Changes an account, but never its record name.
    func update(_ account: StoredAccount) throws {
        try execute(
            """
            UPDATE account SET alias = \(account.alias), email = \(account.emailAddress),
                email_key = \(account.emailAddress.map(FindableUsers.key)), components = \(try account.componentsText()),
                discoverable = \(account.isDiscoverable ? 1 : 0) WHERE name = \(account.name)
            """)
    }

    /// Removes an account, its tokens, its keys and its bindings to providers.
    func removeAccount(named name: String) throws {
        // With the lock, the tokens of concurrent sign-ins are stored before the deletions below.
        if hasOtherWriters {
            _ = try one("SELECT name FROM account WHERE name = \(name)\(lock: .update)") { $0.text(0) }
        }
        try execute("DELETE FROM credential WHERE account = \(name)")
        try execute("DELETE FROM server_key WHERE account = \(name)")
        try execute("DELETE FROM sign_in WHERE account = \(name)")
        try execute("DELETE FROM account WHERE name = \(name)")
    }

    /// Binds an account to a user of a sign-in provider.
    func bind(issuer: String, subject: String, to account: String, at now: Int64) throws {
        try execute(
            """
            INSERT INTO sign_in (issuer, subject, account, created) VALUES (\(issuer), \(subject), \(account), \(now))
            """)
    }
}

extension StoredAccount {
    /// The parts of the name as JSON, as the table has them.
    fileprivate func componentsText() throws -> String { String(decoding: try components.wireJSON(), as: UTF8.self) }
}
