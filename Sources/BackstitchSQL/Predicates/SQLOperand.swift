package import Backstitch

/// An expression and what it is compared as.
package struct SQLOperand: Sendable {
    /// The expression.
    package let sql: SQLFragment
    /// The kind as which it is compared.
    package let kind: PlannedKind

    /// An expression.
    package init(_ sql: SQLFragment, _ kind: PlannedKind) {
        self.sql = sql
        self.kind = kind
    }
}
