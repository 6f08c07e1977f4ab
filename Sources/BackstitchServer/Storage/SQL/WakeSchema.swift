import BackstitchSQL

/// The table of devices that can be woken. It has the token itself and not a digest, because the token must be sent.
enum WakeSchema {
    /// The statements that make the table, and the index for a user's devices.
    static func statements(_ dialect: any SQLDialect) -> [String] {
        let integer = dialect.types.integer, text = dialect.types.text, bytes = dialect.types.bytes
        return [
            """
            CREATE TABLE wake_device (
                tenant_id \(integer) NOT NULL REFERENCES tenant, digest \(bytes) NOT NULL, "user" \(text) NOT NULL,
                token \(bytes) NOT NULL, development \(integer) NOT NULL, poll \(bytes) NOT NULL,
                registered \(integer) NOT NULL, PRIMARY KEY (tenant_id, digest)
            )\(dialect.tableEnding(.keyed))
            """,
            "CREATE INDEX wake_device_user ON wake_device (tenant_id, \"user\", registered)",
        ]
    }
}
