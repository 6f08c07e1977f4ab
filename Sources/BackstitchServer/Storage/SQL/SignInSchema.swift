import BackstitchSQL

/// The table of used ID tokens. They belong to no tenant, because a sign-in is valid for all containers.
enum SignInSchema {
    /// The statements that make the table.
    static func statements(_ dialect: any SQLDialect) -> [String] {
        [
            """
            CREATE TABLE sign_in_token (
                digest \(dialect.types.bytes) NOT NULL PRIMARY KEY, ends \(dialect.types.integer) NOT NULL
            )\(dialect.tableEnding(.keyed))
            """,
            "CREATE INDEX sign_in_token_ends ON sign_in_token (ends)",
        ]
    }
}
