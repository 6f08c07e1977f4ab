import BackstitchSQL

/// The tables of indexes for queries. Each entry is a row in the tree of its key, so reading a piece of an index is
/// reading the table from one place on; the second index finds the entries of a record that changes.
enum QuerySchema {
    static func statements(_ dialect: any SQLDialect) -> [String] {
        let integer = dialect.types.integer, text = dialect.types.text, keyed = dialect.tableEnding(.keyed)
        return [
            // The number of the zone's newest index; 0 as long as it had none, so that pushes need not ask.
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
            // The zone last: a database that knows nothing of the table yet would else take it for reading an index.
            "CREATE INDEX query_entry_record ON query_entry (tenant_id, record, zone_id)",
        ]
    }

    /// The makers of indexes, for the room that each takes. Those from before have none.
    static func makers(_ dialect: any SQLDialect) -> [String] {
        ["ALTER TABLE query_index ADD COLUMN maker \(dialect.types.text) NOT NULL DEFAULT ''"]
    }
}
