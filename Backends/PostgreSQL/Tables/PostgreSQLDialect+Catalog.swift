import BackstitchSQL

extension PostgreSQLDialect {
    /// Queries for the schema of the database's connections. A partition is a part of its table, so it is not listed.
    var catalog: SQLCatalog? {
        SQLCatalog(
            columns: """
                SELECT c.relname::text, a.attname::text, CASE format_type(a.atttypid, NULL) WHEN 'text' THEN 'text'
                    WHEN 'bigint' THEN 'integer' WHEN 'bytea' THEN 'bytes' WHEN 'boolean' THEN 'flag'
                    ELSE format_type(a.atttypid, NULL) END
                FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
                WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
                    AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
                ORDER BY c.relname, a.attnum
                """,
            references: """
                SELECT DISTINCT c.relname::text, target.relname::text
                FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
                    JOIN pg_class AS target ON target.oid = k.confrelid
                WHERE k.contype = 'f' AND c.relnamespace = current_schema()::regnamespace
                """,
            numbered: """
                SELECT c.relname::text, a.attname::text
                FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
                WHERE c.relnamespace = current_schema()::regnamespace AND a.attidentity <> '' AND a.attnum > 0
                    AND NOT a.attisdropped AND NOT c.relispartition
                """)
    }

    /// The statement that sets a column's sequence to the greatest number in the table.
    func renumbering(of table: String, _ column: String) -> String? {
        """
        SELECT setval(pg_get_serial_sequence('\(SQLNames.quoted(table))', '\(column)'), greatest(max(\(column)), 1))
        FROM \(SQLNames.quoted(table))
        """
    }
}
