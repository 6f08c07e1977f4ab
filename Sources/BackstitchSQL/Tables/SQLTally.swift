/// Sums over the rows of one table, kept by the database in another. Triggers keep them, so every change of a row
/// counts, and a look at a sum reads only one row.
package struct SQLTally: Sendable {
    /// A number that each row adds to a sum.
    package struct Amount: Sendable {
        /// The column with the sum.
        package let sum: String
        /// An expression of the row, with `row.` before its columns.
        package let expression: String

        /// Creates an amount for a sum.
        package init(_ sum: String, _ expression: String) {
            self.sum = sum
            self.expression = expression
        }

        /// The expression with another name for the row.
        package func of(_ row: String) -> String { expression.replacing("row.", with: "\(row).") }
    }

    /// The table with the sums.
    package let table: String
    /// The primary key of the sums, and the columns of the rows with the same values, in the same order.
    package let keys: [(sum: String, row: String)]
    /// The table whose rows are added.
    package let source: String
    /// The numbers that each row adds to the sums.
    package let amounts: [Amount]
    /// The columns that amounts depend on; empty if rows are only inserted and deleted.
    package let changing: [String]
    /// The prefix of the triggers' names.
    package let name: String

    /// Creates a description of sums.
    package init(
        _ name: String, in table: String, keys: [(sum: String, row: String)], of source: String,
        amounts: [Amount], changing: [String] = []
    ) {
        self.name = name
        self.table = table
        self.keys = keys
        self.source = source
        self.amounts = amounts
        self.changing = changing
    }

    /// The statement that adds a query's rows, or a list of values, to the sums.
    ///
    /// - Parameter values: The SQL of the rows: the keys, then the amounts.
    package func addition(of values: String) -> String {
        let columns = keys.map(\.sum) + amounts.map(\.sum)
        let changes = amounts.map { "\($0.sum) = \(table).\($0.sum) + excluded.\($0.sum)" }
        return """
            INSERT INTO \(table) (\(columns.joined(separator: ", "))) \(values)
            ON CONFLICT (\(keys.map(\.sum).joined(separator: ", "))) DO UPDATE SET \(changes.joined(separator: ", "))
            """
    }
}

extension SQLDialect {
    /// The triggers for databases that run them for each row, with their statements in a body.
    package func triggers(_ tally: SQLTally) -> [String] {
        func keys(_ row: String) -> [String] { tally.keys.map { "\(row).\($0.row)" } }
        func add(_ row: String, _ amounts: [String]) -> String {
            tally.addition(of: "VALUES (\((keys(row) + amounts).joined(separator: ", ")))") + ";"
        }
        let gone = tally.amounts.map { "\($0.sum) = \($0.sum) - (\($0.of("old")))" }.joined(separator: ", ")
        let ofOld = tally.keys.map { "\($0.sum) = old.\($0.row)" }.joined(separator: " AND ")
        let take = "UPDATE \(tally.table) SET \(gone) WHERE \(ofOld);"
        let made = add("new", tally.amounts.map { $0.of("new") })
        func trigger(_ kind: String, _ event: String, _ body: String) -> String {
            "CREATE TRIGGER \(tally.name)_\(kind) AFTER \(event) BEGIN \(body) END"
        }
        let always = [
            trigger("made", "INSERT ON \(tally.source)", made), trigger("gone", "DELETE ON \(tally.source)", take),
        ]
        guard !tally.changing.isEmpty else { return always }
        let stays = zip(keys("old"), keys("new")).map { "\($0) = \($1)" }.joined(separator: " AND ")
        let difference = add("new", tally.amounts.map { "(\($0.of("new"))) - (\($0.of("old")))" })
        let columns = tally.changing.joined(separator: ", ")
        let givers = tally.keys.map(\.row).joined(separator: ", ")
        return always + [
            trigger("changed", "UPDATE OF \(columns) ON \(tally.source) WHEN \(stays)", difference),
            trigger("given", "UPDATE OF \(givers) ON \(tally.source) WHEN NOT (\(stays))", take + made),
        ]
    }
}
