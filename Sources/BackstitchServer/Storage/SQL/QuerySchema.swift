import BackstitchSQL

/// The tables of indexes for queries.
///
/// Each entry is a row in the tree of its key. So a piece of an index is read as one piece of the table. The second
/// index finds the entries of a changed record.
enum QuerySchema {
    /// The statements that make both tables, and the zone's counter of its indexes.
    static func statements(_ dialect: any SQLDialect) -> [String] {
        let integer = dialect.types.integer, text = dialect.types.text, keyed = dialect.tableEnding(.keyed)
        return [
            // The number of the zone's newest index. As long as it is 0, pushes need not look for indexes.
            "ALTER TABLE zone ADD COLUMN query_indexes \(integer) NOT NULL DEFAULT 0",
            """
            CREATE TABLE query_index (
                tenant_id \(integer) NOT NULL, zone_id \(integer) NOT NULL, number \(integer) NOT NULL,
                type \(text) NOT NULL, components \(text) NOT NULL, state \(integer) NOT NULL, filled \(text) NOT NULL,
                used \(integer) NOT NULL, PRIMARY KEY (tenant_id, zone_id, number)
            )\(keyed)
            """,
            "CREATE INDEX query_index_used ON query_index (used)",
            """
            CREATE TABLE query_entry (
                tenant_id \(integer) NOT NULL, zone_id \(integer) NOT NULL, number \(integer) NOT NULL,
                key \(dialect.types.bytes) NOT NULL, record \(text) NOT NULL,
                PRIMARY KEY (tenant_id, zone_id, number, key, record)
            )\(keyed)
            """,
            // The zone is last. Otherwise a database without statistics would use this index for reading entries in
            // order.
            "CREATE INDEX query_entry_record ON query_entry (tenant_id, record, zone_id)",
        ]
    }

    /// The makers of indexes, to share room fairly among them. Older indexes have no maker.
    static func makers(_ dialect: any SQLDialect) -> [String] {
        ["ALTER TABLE query_index ADD COLUMN maker \(dialect.types.text) NOT NULL DEFAULT ''"]
    }
}
