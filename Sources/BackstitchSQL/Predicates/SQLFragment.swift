package import Backstitch

/// A piece of SQL with the values of its placeholders, in order.
///
/// `?` always means a placeholder. A ``SQLStatement`` replaces it with the database's own form when the fragment is
/// appended.
package struct SQLFragment: Sendable, Hashable {
    /// The text, with `?` as the placeholder.
    package var sql: String
    /// The values of its placeholders, in order.
    package var bindings: [Value]

    /// Creates a piece of SQL with its values.
    package init(_ sql: String, _ bindings: [Value] = []) {
        self.sql = sql
        self.bindings = bindings
    }

    /// Creates a placeholder with its value.
    package static func binding(_ value: Value) -> SQLFragment { SQLFragment("?", [value]) }

    /// Puts one piece after another.
    package static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
        SQLFragment(left.sql + right.sql, left.bindings + right.bindings)
    }

    /// Puts text after a piece.
    package static func + (left: SQLFragment, right: String) -> SQLFragment {
        SQLFragment(left.sql + right, left.bindings)
    }

    /// Puts text before a piece.
    package static func + (left: String, right: SQLFragment) -> SQLFragment {
        SQLFragment(left + right.sql, right.bindings)
    }

    /// The piece in parentheses.
    var inParentheses: SQLFragment { "(" + self + ")" }
}

extension Sequence<SQLFragment> {
    /// Joins all pieces, with a separator between them. Complexity: O(length).
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
    /// Adds a fragment, with placeholders in the dialect's form.
    package mutating func append(_ fragment: SQLFragment) {
        var values = fragment.bindings.makeIterator()
        for (index, text) in fragment.sql.split(separator: "?", omittingEmptySubsequences: false).enumerated() {
            if index > 0, let value = values.next() { append(value) }
            append(String(text))
        }
    }
}
