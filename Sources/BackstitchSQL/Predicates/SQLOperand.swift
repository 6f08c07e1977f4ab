package import Backstitch

/// An expression with the kind for its comparison.
package struct SQLOperand: Sendable {
    /// The SQL of the expression.
    package let sql: SQLFragment
    /// The kind for its comparison.
    package let kind: PlannedKind

    /// Creates an operand from an expression.
    package init(_ sql: SQLFragment, _ kind: PlannedKind) {
        self.sql = sql
        self.kind = kind
    }
}
