/// An index or trigger of a table.
struct SQLSchemaObject: Hashable {
    let name: String
    /// The table that it belongs to.
    let table: String
    /// Makes it.
    let statement: String
    let isTrigger: Bool

    /// An index.
    ///
    /// - Parameter terms: Its columns and expressions, as the statement has them.
    init(index name: String, on table: String, terms: [String], isUnique: Bool = false) {
        self.name = name
        self.table = table
        statement =
            "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLNames.quoted(name)) "
            + "ON \(SQLNames.quoted(table)) (\(terms.joined(separator: ", ")))"
        isTrigger = false
    }

    /// A trigger, which fires after each change of a row.
    init(_ trigger: SQLTrigger, on table: String) {
        name = trigger.name
        self.table = table
        statement =
            "CREATE TRIGGER \(SQLNames.quoted(name)) AFTER \(trigger.event) ON \(SQLNames.quoted(table)) \(trigger.action)"
        isTrigger = true
    }

    /// Whether it is about a column of that name.
    func mentions(_ column: String) -> Bool { statement.contains(SQLNames.quoted(column)) }

    /// Takes it away.
    ///
    /// - Parameter table: The present name of its table.
    func removal(from table: String, dialect: some SQLDialect) -> String {
        isTrigger
            ? dialect.removal(ofTrigger: SQLNames.quoted(name), from: SQLNames.quoted(table))
            : "DROP INDEX IF EXISTS \(SQLNames.quoted(name))"
    }
}
