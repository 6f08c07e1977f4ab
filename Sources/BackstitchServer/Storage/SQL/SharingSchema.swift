import BackstitchSQL

/// The tables of shares.
enum SharingSchema {
    static func statements(_ dialect: any SQLDialect) -> [String] {
        let integer = dialect.types.integer, text = dialect.types.text, keyed = dialect.tableEnding(.keyed)
        return [
            "ALTER TABLE zone ADD COLUMN sharing \(integer) NOT NULL DEFAULT 0",
            """
            CREATE TABLE share (
                tenant_id \(integer) NOT NULL, zone_id \(integer) NOT NULL, record \(text) NOT NULL,
                guid \(text) NOT NULL, permission \(text) NOT NULL, PRIMARY KEY (tenant_id, zone_id, record)
            )\(keyed)
            """,
            "CREATE UNIQUE INDEX share_guid ON share (tenant_id, guid)",
            """
            CREATE TABLE participant (
                tenant_id \(integer) NOT NULL, zone_id \(integer) NOT NULL, share \(text) NOT NULL, id \(text) NOT NULL,
                "user" \(text), address \(text), kind \(text) NOT NULL, status \(text) NOT NULL,
                permission \(text) NOT NULL, names \(text) NOT NULL, PRIMARY KEY (tenant_id, zone_id, share, id)
            )\(keyed)
            """,
            // A zone as it stands in the database of a user with whom it is shared: state 0, or 1 when that has ended.
            """
            CREATE TABLE shared_zone (
                tenant_id \(integer) NOT NULL, owner_id \(integer) NOT NULL, zone_owner \(text) NOT NULL,
                zone_name \(text) NOT NULL, zone_id \(integer) NOT NULL, owner_sequence \(integer) NOT NULL,
                state \(integer) NOT NULL, PRIMARY KEY (tenant_id, owner_id, zone_owner, zone_name)
            )\(keyed)
            """,
            "CREATE INDEX shared_zone_feed ON shared_zone (tenant_id, owner_id, owner_sequence)",
            "CREATE INDEX shared_zone_guests ON shared_zone (tenant_id, zone_id, owner_id)",
        ]
    }
}
