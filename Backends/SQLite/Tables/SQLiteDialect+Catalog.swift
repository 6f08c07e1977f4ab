import BackstitchSQL

extension SQLiteDialect {
    var catalog: SQLCatalog? {
        let tables = "sqlite_schema AS t, %@ AS c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        return SQLCatalog(
            columns: """
                SELECT t.name, c.name, CASE upper(c.type) WHEN 'TEXT' THEN 'text' WHEN 'INTEGER' THEN 'integer'
                    WHEN 'BLOB' THEN 'bytes' ELSE c.type END
                FROM \(tables.replacing("%@", with: "pragma_table_info(t.name)")) ORDER BY t.name, c.cid
                """,
            references: """
                SELECT DISTINCT t.name, c."table"
                FROM \(tables.replacing("%@", with: "pragma_foreign_key_list(t.name)"))
                """)
    }
}
