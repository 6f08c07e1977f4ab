package import Backstitch

/// A statement that is run for many sets of parameters.
///
/// A database in the program's own process runs it once for each. One behind a network runs it once for all: each of
/// its placeholders then takes an array, and it returns, for each row that it wrote, the values that tell which run
/// that was.
package struct SQLBulkStatement: Hashable, Sendable {
    /// The text.
    package let text: String
    /// The types of the placeholders, in order.
    package let types: [SQLBulkType]
    /// The parameters, counted from zero, whose values each returned row has; all are keys. Empty when nobody asks
    /// which runs changed something. A database that runs it for each set tells by counting.
    package let returned: [Int]
}

/// The type of a placeholder in a bulk statement.
package enum SQLBulkType: Hashable, Sendable {
    case key, integer, text, bytes
    /// The type of a column.
    case column(ResolvedProperty)

    /// Equal kinds; columns by slot.
    package static func == (left: SQLBulkType, right: SQLBulkType) -> Bool {
        switch (left, right) {
        case (.key, .key), (.integer, .integer), (.text, .text), (.bytes, .bytes): true
        case (.column(let a), .column(let b)): a.slot == b.slot && a.columnName == b.columnName
        default: false
        }
    }

    /// Consistent with equality.
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .key: hasher.combine(0)
        case .integer: hasher.combine(1)
        case .text: hasher.combine(2)
        case .bytes: hasher.combine(3)
        case .column(let property): hasher.combine(property.columnName)
        }
    }
}

/// A statement that is run for rows of a batch.
package struct SQLRowStatement: Hashable, Sendable {
    /// The statement.
    package let bulk: SQLBulkStatement
    /// The part of each row that each placeholder takes.
    package let parameters: [SQLRowParameter]
    /// The same for rows of which none is in conflict, for databases in which it is much quicker: it fails, or writes
    /// fewer rows, if one is, and does not tell which.
    package var unopposed: SQLBulkStatement?
    /// A stream of rows (``SQLDialect/copy(into:_:)``) that does the same as ``unopposed``, and is quicker still for
    /// many: key, version 1, and all cells.
    package var copy: String?
}

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
