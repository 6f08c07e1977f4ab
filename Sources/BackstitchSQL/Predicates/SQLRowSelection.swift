import Backstitch

/// The parts of a statement that selects an entity's rows:
/// `SELECT … FROM \(from) WHERE \(condition) ORDER BY \(order)`.
///
/// The entity's table is ``alias``. The other tables are joined in a way that returns each row once.
package struct SQLRowSelection: Sendable {
    /// The alias of the entity's table.
    package static let alias = "t0"

    /// The text after `FROM`.
    package let from: String
    /// The condition after `WHERE`; nil for all rows.
    package let condition: SQLFragment?
    /// The text after `ORDER BY`; the key is its last term.
    package let order: String
    /// The clause for limit and offset.
    let limit: SQLFragment

    /// The statement for these columns of the rows, in order and within the limits.
    ///
    /// - Parameter isOrdered: Whether the order matters.
    package func statement(columns: String, isOrdered: Bool = true) -> SQLFragment {
        let rows = filtered("SELECT \(columns) FROM \(from)")
        return isOrdered ? rows + " ORDER BY \(order)" + limit : rows + limit
    }

    /// The statement that counts the rows, within the limits.
    package func countStatement() -> SQLFragment {
        if limit.sql.isEmpty { return filtered("SELECT count(*) FROM \(from)") }
        return "SELECT count(*) FROM (" + (filtered("SELECT 1 FROM \(from)") + limit) + ") AS limited"
    }

    private func filtered(_ start: String) -> SQLFragment {
        guard let condition else { return SQLFragment(start) }
        return "\(start) WHERE " + condition
    }
}
