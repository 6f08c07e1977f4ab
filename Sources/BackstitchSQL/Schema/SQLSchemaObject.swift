/// An index or a trigger of a table.
struct SQLSchemaObject: Hashable {
    let name: String
    /// The table of the index or trigger.
    let table: String
    /// The statement that creates it.
    let statement: String
    let isTrigger: Bool

    /// Creates an index of a table.
    ///
    /// - Parameter terms: Its columns and expressions, in the form of the statement.
    init(index name: String, on table: String, terms: [String], isUnique: Bool = false) {
        self.name = name
        self.table = table
        statement =
            "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLNames.quoted(name)) "
            + "ON \(SQLNames.quoted(table)) (\(terms.joined(separator: ", ")))"
        isTrigger = false
    }

    /// Creates a trigger. It fires after each change of a row.
    init(_ trigger: SQLTrigger, on table: String) {
        name = trigger.name
        self.table = table
        statement =
            "CREATE TRIGGER \(SQLNames.quoted(name)) AFTER \(trigger.event) ON \(SQLNames.quoted(table)) \(trigger.action)"
        isTrigger = true
    }

    /// Whether its statement contains a column of that name.
    func mentions(_ column: String) -> Bool { statement.contains(SQLNames.quoted(column)) }

    /// The statement that removes it.
    ///
    /// - Parameter table: The present name of its table.
    func removal(from table: String, dialect: some SQLDialect) -> String {
        isTrigger
            ? dialect.removal(ofTrigger: SQLNames.quoted(name), from: SQLNames.quoted(table))
            : "DROP INDEX IF EXISTS \(SQLNames.quoted(name))"
    }
}
