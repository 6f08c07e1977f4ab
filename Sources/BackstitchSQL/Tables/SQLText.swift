import Backstitch

/// A statement in source code, still without a dialect. Each value in the text becomes a placeholder with a parameter,
/// so no value can ever be read as SQL.
///
/// ```swift
/// let text: SQLText = "DELETE FROM zone WHERE tenant_id = \(tenant) AND name IN (SELECT wanted FROM \(texts: list))"
/// try connection.run(text.statement(connection.dialect))
/// ```
package struct SQLText: ExpressibleByStringInterpolation, Sendable {
    fileprivate enum Piece: Sendable {
        case text(String)
        case parameter(SQLParameter)
        case flag(Bool)
        case texts(String)
        indirect case lookUp(table: String, index: String?, condition: SQLText)
        indirect case removal(table: String, column: String, json: String, condition: SQLText)
        case index(String)
        case lock(SQLRowLock)
    }

    fileprivate let pieces: [Piece]

    /// Creates a text without values.
    package init(stringLiteral value: String) { pieces = [.text(value)] }

    /// Creates a text with values.
    package init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }

    /// The statement in a dialect.
    package func statement(_ dialect: any SQLDialect) -> SQLStatement {
        var statement = SQLStatement(dialect)
        append(to: &statement)
        return statement
    }

    private func append(to statement: inout SQLStatement) {
        let dialect = statement.dialect
        for piece in pieces {
            switch piece {
            case .text(let text): statement.append(text)
            case .parameter(let parameter): statement.append(parameter)
            case .flag(let flag): statement.append(dialect.literal(flag))
            case .texts(let json): statement.append(textsOf: json)
            case .lookUp(let table, let index, let condition):
                let (before, after) = dialect.lookingUp(table, by: index)
                statement.append(before)
                condition.append(to: &statement)
                statement.append(after)
            case .removal(let table, let column, let json, let condition):
                let (before, between, after) = dialect.removing(from: table, column)
                statement.append(before)
                statement.append(textsOf: json)
                statement.append(between)
                condition.append(to: &statement)
                statement.append(after)
            case .index(let name): statement.append(dialect.naming(index: name))
            case .lock(let lock): statement.append(dialect.rowLock(lock, of: nil))
            }
        }
    }

    /// Collects texts and values in their order.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var pieces: [Piece] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            pieces.reserveCapacity(2 * interpolationCount + 1)
        }

        /// Adds a literal part of the statement.
        package mutating func appendLiteral(_ literal: String) {
            if !literal.isEmpty { pieces.append(.text(literal)) }
        }

        /// Adds an integer as a parameter.
        package mutating func appendInterpolation(_ value: Int64) { pieces.append(.parameter(.value(.int(value)))) }

        /// Adds an integer as a parameter.
        package mutating func appendInterpolation(_ value: Int) { appendInterpolation(Int64(value)) }

        /// Adds a text, or null, as a parameter.
        package mutating func appendInterpolation(_ value: String?) { pieces.append(.parameter(.text(value))) }

        /// Adds bytes as a parameter.
        package mutating func appendInterpolation(_ value: [UInt8]) {
            pieces.append(.parameter(.value(.data(.init(value)))))
        }

        /// Adds a truth value, as the dialect writes it.
        package mutating func appendInterpolation(flag: Bool) { pieces.append(.flag(flag)) }

        /// Adds a table of one column, `wanted`, with the texts of a JSON array.
        package mutating func appendInterpolation(texts json: String) { pieces.append(.texts(json)) }

        /// Adds the rows of a table that a condition selects for each row of the list before it; see
        /// ``SQLDialect/lookingUp(_:by:)``.
        package mutating func appendInterpolation(
            lookUp table: String, by index: String? = nil, where condition: SQLText
        ) {
            pieces.append(.lookUp(table: table, index: index, condition: condition))
        }

        /// Names the index for the table before it; see ``SQLDialect/naming(index:)``.
        package mutating func appendInterpolation(by index: String) { pieces.append(.index(index)) }

        /// Ends a statement `DELETE FROM table` that removes the rows of a condition with one of the texts of a JSON
        /// array in a column; see ``SQLDialect/removing(from:_:)``.
        package mutating func appendInterpolation(
            removing table: String, where column: String, isOneOf json: String, and condition: SQLText
        ) {
            pieces.append(.removal(table: table, column: column, json: json, condition: condition))
        }

        /// Adds a clause that locks the rows of the preceding query.
        package mutating func appendInterpolation(lock: SQLRowLock) { pieces.append(.lock(lock)) }

        /// Adds a part of a statement, with its values.
        package mutating func appendInterpolation(_ text: SQLText) { pieces += text.pieces }

        /// Adds names of tables and columns. They must be constants of the code.
        package mutating func appendInterpolation(names: String) { pieces.append(.text(names)) }
    }
}

extension SQLStatement {
    /// Adds a table of texts; see ``SQLDialect/rows(ofTexts:)``.
    fileprivate mutating func append(textsOf json: String) {
        append(dialect.rows(ofTexts: add(.text(json))))
    }
}
