import BackstitchSQL

/// The tables of accounts, tokens and keys, declared containers, and used signatures.
///
/// They belong to the storage, not to a tenant: a user is the same in all containers. A 0 in `expires` and `lifetime`
/// means "none". So does an empty text in `account` and `container`.
enum IdentitySchema {
    /// The statements that make the tables of the first version with identities.
    static func statements(_ dialect: any SQLDialect) -> [String] {
        accounts(dialect) + credentials(dialect) + changes(dialect)
    }

    /// The tables of accounts, of their bindings to sign-in providers, and of declared containers.
    private static func accounts(_ dialect: any SQLDialect) -> [String] {
        let integer = dialect.types.integer, text = dialect.types.text, keyed = dialect.tableEnding(.keyed)
        return [
            """
            CREATE TABLE account (
                name \(text) NOT NULL PRIMARY KEY, alias \(text) UNIQUE, email \(text), email_key \(text) UNIQUE,
                components \(text) NOT NULL, discoverable \(integer) NOT NULL, created \(integer) NOT NULL
            )\(keyed)
            """,
            // Users of sign-in providers, with their accounts. The key is the provider's address and its name of the
            // user.
            """
            CREATE TABLE sign_in (
                issuer \(text) NOT NULL, subject \(text) NOT NULL, account \(text) NOT NULL REFERENCES account,
                created \(integer) NOT NULL, PRIMARY KEY (issuer, subject)
            )\(keyed)
            """,
            "CREATE INDEX sign_in_account ON sign_in (account)",
            """
            CREATE TABLE container (
                name \(text) NOT NULL PRIMARY KEY, label \(text) NOT NULL, created \(integer) NOT NULL
            )\(keyed)
            """,
        ]
    }

    /// The tables of tokens, of server-to-server keys, and of used signatures.
    private static func credentials(_ dialect: any SQLDialect) -> [String] {
        let integer = dialect.types.integer, text = dialect.types.text, bytes = dialect.types.bytes
        let keyed = dialect.tableEnding(.keyed)
        return [
            """
            CREATE TABLE credential (
                digest \(bytes) NOT NULL PRIMARY KEY, id \(text) NOT NULL, kind \(integer) NOT NULL,
                account \(text) NOT NULL, container \(text) NOT NULL, label \(text) NOT NULL,
                read_only \(integer) NOT NULL, created \(integer) NOT NULL, expires \(integer) NOT NULL,
                lifetime \(integer) NOT NULL, replaces \(bytes) NOT NULL
            )\(keyed)
            """,
            "CREATE INDEX credential_id ON credential (kind, id)",
            "CREATE INDEX credential_account ON credential (account, created)",
            "CREATE INDEX credential_expires ON credential (expires) WHERE expires > 0",
            """
            CREATE TABLE server_key (
                id \(text) NOT NULL PRIMARY KEY, public_key \(text) NOT NULL, account \(text) NOT NULL REFERENCES account,
                containers \(text) NOT NULL, label \(text) NOT NULL, created \(integer) NOT NULL,
                expires \(integer) NOT NULL
            )\(keyed)
            """,
            "CREATE INDEX server_key_account ON server_key (account)",
            // A signature is known by its first half; see ``SpentSignatures``.
            """
            CREATE TABLE spent_signature (
                key \(text) NOT NULL, mark \(bytes) NOT NULL, ends \(integer) NOT NULL, PRIMARY KEY (key, mark)
            )\(keyed)
            """,
            "CREATE INDEX spent_signature_ends ON spent_signature (ends)",
        ]
    }

    /// The table of renewed tokens. It shows when a token is used again after its replacement.
    static func replacedTokens(_ dialect: any SQLDialect) -> [String] {
        let integer = dialect.types.integer, text = dialect.types.text, bytes = dialect.types.bytes
        return [
            """
            CREATE TABLE replaced_token (
                digest \(bytes) NOT NULL PRIMARY KEY, id \(text) NOT NULL, ends \(integer) NOT NULL
            )\(dialect.tableEnding(.keyed))
            """,
            "CREATE INDEX replaced_token_ends ON replaced_token (ends)",
        ]
    }

    /// The index of an account's tokens, also by kind. A database without statistics would count an account's tokens of
    /// a kind among those of all accounts.
    static let kindsOfAccounts = [
        "CREATE INDEX credential_holder ON credential (account, kind)", "DROP INDEX credential_account",
    ]

    /// The counter of changes for other servers, and the account of each change. The counter's row exists from the
    /// first change on.
    private static func changes(_ dialect: any SQLDialect) -> [String] {
        let integer = dialect.types.integer, text = dialect.types.text
        return [
            """
            CREATE TABLE identity (
                "only" \(integer) NOT NULL PRIMARY KEY CHECK ("only" = 1), revision \(integer) NOT NULL
            )\(dialect.tableEnding(.counters))
            """,
            """
            CREATE TABLE identity_change (
                revision \(integer) NOT NULL PRIMARY KEY, account \(text) NOT NULL, time \(integer) NOT NULL
            )\(dialect.tableEnding(.keyed))
            """,
            "CREATE INDEX identity_change_time ON identity_change (time)",
        ]
    }
}
