/// The queries by which a database tells which tables there are, for code that keeps tables of its own in it and copies
/// them whole.
package struct SQLCatalog: Sendable {
    /// Gives a row for each column of each table, in the order in which tables declare them: the table's name, the
    /// column's name, and its ``SQLTableDescription/Kind``, or the database's own name of another type.
    package let columns: String
    /// Gives a row for each table that refers to another one: its name, and the other's.
    package let references: String
    /// Gives a row for each column that numbers the rows of its table (``SQLDialect/numberedKey``) and must be told
    /// when rows have come with their numbers: the table's name, and the column's. Nil where none must be.
    package let numbered: String?

    /// Queries without parameters.
    package init(columns: String, references: String, numbered: String? = nil) {
        self.columns = columns
        self.references = references
        self.numbered = numbered
    }
}

extension SQLDialect {
    /// Nil where nobody keeps tables of their own.
    package var catalog: SQLCatalog? { nil }

    /// Nothing is to be done where a table's greatest number tells the next.
    package func renumbering(of table: String, _ column: String) -> String? { nil }
}

extension SQLConnection {
    /// Has the database number new rows behind those that have come with their numbers.
    package func renumber() throws {
        guard let numbered = dialect.catalog?.numbered else { return }
        var statements: [String] = []
        try forEachRow(of: SQLStatement(dialect, numbered)) { row in
            statements += [dialect.renumbering(of: row.text(0), row.text(1))].compactMap(\.self)
        }
        for statement in statements { try run(SQLStatement(dialect, statement)) }
    }

    /// The tables of the database, each behind those that its rows refer to, so that rows can be written in that order.
    /// Empty where the database has no catalog.
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
            // A circle of references has no order; its tables come as their names do.
            let next = ready.isEmpty ? left : ready
            ordered += next.compactMap { tables[$0] }
            left.removeAll(where: next.contains)
        }
        return ordered
    }
}
