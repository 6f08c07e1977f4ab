import Backstitch

/// Writes bulk statements by dialect: parameters one by one, or as rows of arrays that are laid side by side.
package struct SQLBulkBuilder {
    private let dialect: any SQLDialect
    private let types: [SQLBulkType]
    /// The rows of arrays; nil where parameters come one by one.
    private let arrays: String?

    /// A builder of statements with such parameters.
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

    /// `INSERT INTO table (columns)`, and where the values come from.
    ///
    /// - Parameters:
    ///   - values: Expressions of parameters, one a column.
    ///   - ending: The end of the statement, on conflicts.
    ///   - returning: Columns that tell runs apart, with their parameters.
    package func insert(
        into table: String, _ columns: [String], values: [String]? = nil, _ ending: String = "",
        returning: [(column: String, parameter: Int)] = []
    ) -> SQLBulkStatement {
        let list = (values ?? self.values).joined(separator: ", ")
        let source = arrays.map { "SELECT \(list) FROM \($0)" } ?? "VALUES (\(list))"
        return statement("INSERT INTO \(table) (\(columns.joined(separator: ", "))) \(source)\(ending)", returning)
    }

    /// `INSERT INTO table (columns)` of rows that are in other tables.
    ///
    /// - Parameters:
    ///   - values: Expressions of parameters and of columns of `tables`, one a column.
    ///   - tables: One, or several that are joined.
    ///   - condition: Which of their rows each run takes.
    ///   - ending: The end of the statement, on conflicts.
    package func insert(
        into table: String, _ columns: [String], selecting values: [String], from tables: String,
        where condition: String, _ ending: String = ""
    ) -> SQLBulkStatement {
        let source = arrays.map { "\($0) CROSS JOIN \(tables)" } ?? tables
        return statement(
            "INSERT INTO \(table) (\(columns.joined(separator: ", "))) SELECT \(values.joined(separator: ", ")) "
                + "FROM \(source) WHERE \(condition)\(ending)", [])
    }

    /// `UPDATE table SET … WHERE …`.
    package func update(
        _ table: String, set assignments: [String], where condition: String,
        returning: [(column: String, parameter: Int)] = []
    ) -> SQLBulkStatement {
        let source = arrays.map { " FROM \($0)" } ?? ""
        return statement(
            "UPDATE \(table) SET \(assignments.joined(separator: ", "))\(source) WHERE \(condition)", returning)
    }

    /// `DELETE FROM table WHERE …`.
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
