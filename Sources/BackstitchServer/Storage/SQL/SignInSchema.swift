import BackstitchSQL

/// The table of ID tokens that were taken. They are of no tenant: a sign-in is for all containers.
enum SignInSchema {
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
