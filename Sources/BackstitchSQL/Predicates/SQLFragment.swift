package import Backstitch

/// A piece of SQL with the values of its placeholders, in order.
///
/// `?` stands for a placeholder and for nothing else; a ``SQLStatement`` that it is appended to writes it as the
/// database has it.
package struct SQLFragment: Sendable, Hashable {
    /// The text.
    package var sql: String
    /// The values of its placeholders.
    package var bindings: [Value]

    /// A piece of SQL.
    package init(_ sql: String, _ bindings: [Value] = []) {
        self.sql = sql
        self.bindings = bindings
    }

    /// A placeholder with its value.
    package static func binding(_ value: Value) -> SQLFragment { SQLFragment("?", [value]) }

    /// One after the other.
    package static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
        SQLFragment(left.sql + right.sql, left.bindings + right.bindings)
    }

    /// Text after a piece.
    package static func + (left: SQLFragment, right: String) -> SQLFragment {
        SQLFragment(left.sql + right, left.bindings)
    }

    /// Text before a piece.
    package static func + (left: String, right: SQLFragment) -> SQLFragment {
        SQLFragment(left + right.sql, right.bindings)
    }

    /// In parentheses.
    var inParentheses: SQLFragment { "(" + self + ")" }
}

extension Sequence<SQLFragment> {
    /// All pieces with a separator between them. Complexity: O(length).
    package func joined(_ separator: String) -> SQLFragment {
        var result = SQLFragment("")
        for (index, fragment) in enumerated() {
            if index > 0 { result.sql += separator }
            result.sql += fragment.sql
            result.bindings += fragment.bindings
        }
        return result
    }
}

extension SQLStatement {
    /// Adds a fragment, with its placeholders as the dialect writes them.
    package mutating func append(_ fragment: SQLFragment) {
        var values = fragment.bindings.makeIterator()
        for (index, text) in fragment.sql.split(separator: "?", omittingEmptySubsequences: false).enumerated() {
            if index > 0, let value = values.next() { append(value) }
            append(String(text))
        }
    }
}
