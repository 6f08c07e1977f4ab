import Backstitch

/// The part of a row that is bound to a placeholder.
package enum SQLRowParameter: Hashable, Sendable {
    /// The key of the row.
    case key
    /// The version of the row.
    case version
    /// The cell of a column, by the column's slot.
    case cell(Int)
}
