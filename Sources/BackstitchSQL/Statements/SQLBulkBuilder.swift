import Backstitch

/// Writes bulk statements in a dialect: with parameters one by one, or with arrays as the columns of a table.
package struct SQLBulkBuilder {
    private let dialect: any SQLDialect
    private let types: [SQLBulkType]
    /// The arrays as a table; nil if parameters are bound one by one.
    private let arrays: String?

    /// Creates a builder of statements with parameters of these types.
    package init(_ dialect: some SQLDialect, _ types: [SQLBulkType]) {
        self.dialect = dialect
        self.types = types
        arrays = dialect.rows(ofArrays: types)
    }

    /// The value of a parameter, counted from zero. Use each once, in order.
    package func value(_ index: Int) -> String {
        arrays == nil ? dialect.placeholder(index + 1) : "_p.p\(index + 1)"
    }

    var values: [String] { types.indices.map(value) }

    /// An `INSERT INTO table (columns)` with the source of its values.
    ///
    /// - Parameters:
    ///   - values: Expressions of parameters, one for each column.
    ///   - ending: The end of the statement, for conflicts.
    ///   - returning: Columns that distinguish the runs, with their parameters.
    package func insert(
        into table: String, _ columns: [String], values: [String]? = nil, _ ending: String = "",
        returning: [(column: String, parameter: Int)] = []
    ) -> SQLBulkStatement {
        let list = (values ?? self.values).joined(separator: ", ")
        let source = arrays.map { "SELECT \(list) FROM \($0)" } ?? "VALUES (\(list))"
        return statement("INSERT INTO \(table) (\(columns.joined(separator: ", "))) \(source)\(ending)", returning)
    }

    /// An `INSERT INTO table (columns)` of values from other tables.
    ///
    /// - Parameters:
    ///   - values: Expressions of parameters and of columns of `tables`, one for each column.
    ///   - tables: One table, or several with a join.
    ///   - condition: The condition for the rows that a run uses.
    ///   - ending: The end of the statement, for conflicts.
    package func insert(
        into table: String, _ columns: [String], selecting values: [String], from tables: String,
        where condition: String, _ ending: String = ""
    ) -> SQLBulkStatement {
        let source = arrays.map { "\($0) CROSS JOIN \(tables)" } ?? tables
        return statement(
            "INSERT INTO \(table) (\(columns.joined(separator: ", "))) SELECT \(values.joined(separator: ", ")) "
                + "FROM \(source) WHERE \(condition)\(ending)", [])
    }

    /// An `UPDATE table SET … WHERE …`.
    package func update(
        _ table: String, set assignments: [String], where condition: String,
        returning: [(column: String, parameter: Int)] = []
    ) -> SQLBulkStatement {
        let source = arrays.map { " FROM \($0)" } ?? ""
        return statement(
            "UPDATE \(table) SET \(assignments.joined(separator: ", "))\(source) WHERE \(condition)", returning)
    }

    /// A `DELETE FROM table WHERE …`.
    package func delete(
        from table: String, where condition: String, returning: [(column: String, parameter: Int)] = []
    ) -> SQLBulkStatement {
        let source = arrays.map { " USING \($0)" } ?? ""
        return statement("DELETE FROM \(table)\(source) WHERE \(condition)", returning)
    }

    private func statement(_ text: String, _ returning: [(column: String, parameter: Int)]) -> SQLBulkStatement {
        let columns = returning.map(\.column).joined(separator: ", ")
        let ending = arrays == nil || returning.isEmpty ? "" : " RETURNING \(columns)"
        return SQLBulkStatement(text: text + ending, types: types, returned: returning.map(\.parameter))
    }
}
