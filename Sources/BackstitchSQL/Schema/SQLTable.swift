/// A table of a model, and the indexes and the like that belong to it.
struct SQLTable {
    let name: String
    /// Makes the table.
    let statement: String
    /// The indexes and triggers that are made after it.
    let objects: [SQLSchemaObject]

    /// - Parameter statements: `CREATE TABLE` first.
    init(name: String, statements: [String]) {
        self.name = name
        statement = statements.first ?? ""
        objects = statements.dropFirst().map { SQLSchemaObject(statement: $0, table: name) }
    }
}

/// An index or trigger of a table.
struct SQLSchemaObject: Hashable {
    /// Makes it.
    let statement: String
    /// The table that it belongs to.
    let table: String

    var isTrigger: Bool { statement.hasPrefix("CREATE TRIGGER ") }

    /// The first name in the statement, quoted as it is there.
    var name: String {
        guard let start = statement.firstIndex(of: "\"") else { return statement }
        var end = statement.index(after: start)
        while end < statement.endIndex {
            let next = statement.index(after: end)
            if statement[end] == "\"" {
                guard next < statement.endIndex, statement[next] == "\"" else { return String(statement[start...end]) }
                end = statement.index(after: next)
            } else {
                end = next
            }
        }
        return String(statement[start...])
    }

    /// Whether it is about a column of that name.
    func mentions(_ column: String) -> Bool { statement.contains(SQLNames.quoted(column)) }

    /// Takes it away.
    ///
    /// - Parameter table: The present name of its table.
    func removal(from table: String, dialect: some SQLDialect) -> String {
        isTrigger ? dialect.removal(ofTrigger: name, from: SQLNames.quoted(table)) : "DROP INDEX IF EXISTS \(name)"
    }
}
