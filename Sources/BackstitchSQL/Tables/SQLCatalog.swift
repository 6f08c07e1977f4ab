/// The queries for the list of a database's tables. They serve code that keeps tables of its own in it, and copies them
/// whole.
package struct SQLCatalog: Sendable {
    /// Returns a row for each column of each table, in the order of the table's declaration: the table's name, the
    /// column's name, and its ``SQLTableDescription/Kind``. Another type has the database's own name.
    package let columns: String
    /// Returns a row for each table that refers to another: its name, and the other's name.
    package let references: String
    /// Returns a row for each numbered column (``SQLDialect/numberedKey``) that needs an update after rows were
    /// inserted with their numbers: the table's name, and the column's. Nil if no column needs it.
    package let numbered: String?

    /// Creates a catalog from queries without parameters.
    package init(columns: String, references: String, numbered: String? = nil) {
        self.columns = columns
        self.references = references
        self.numbered = numbered
    }
}

extension SQLDialect {
    /// Empty: the database finds the right index by itself.
    package func naming(index: String) -> String { "" }

    /// Nil: the database has only the tables of stores.
    package var catalog: SQLCatalog? { nil }

    /// Nil: the greatest number of a table determines the next one.
    package func renumbering(of table: String, _ column: String) -> String? { nil }
}

extension SQLConnection {
    /// Makes the database number new rows after those that were inserted with their numbers.
    package func renumber() throws {
        guard let numbered = dialect.catalog?.numbered else { return }
        var statements: [String] = []
        try forEachRow(of: SQLStatement(dialect, numbered)) { row in
            statements += [dialect.renumbering(of: row.text(0), row.text(1))].compactMap(\.self)
        }
        for statement in statements { try run(SQLStatement(dialect, statement)) }
    }

    /// The tables of the database, in an order for writing rows: each after the tables that it refers to. Empty if the
    /// database has no catalog.
    package func describeTables() throws -> [SQLTableDescription] {
        guard let catalog = dialect.catalog else { return [] }
        var tables: [String: SQLTableDescription] = [:]
        try forEachRow(of: SQLStatement(dialect, catalog.columns)) { row in
            let table = row.text(0)
            tables[table, default: SQLTableDescription(name: table)].columns.append(
                .init(name: row.text(1), kind: SQLTableDescription.Kind(rawValue: row.text(2))))
        }
        var targets: [String: Set<String>] = [:]
        try forEachRow(of: SQLStatement(dialect, catalog.references)) { row in
            if row.text(0) != row.text(1) { targets[row.text(0), default: []].insert(row.text(1)) }
        }
        var ordered: [SQLTableDescription] = []
        var left = tables.keys.sorted()
        while !left.isEmpty {
            let ready = left.filter { table in targets[table].map { $0.isDisjoint(with: left) } ?? true }
            // Tables in a circle of references have no such order; they are sorted by name.
            let next = ready.isEmpty ? left : ready
            ordered += next.compactMap { tables[$0] }
            left.removeAll(where: next.contains)
        }
        return ordered
    }
}
