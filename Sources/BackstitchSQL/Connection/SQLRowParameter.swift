import Backstitch

/// The part of a row that a placeholder takes.
package enum SQLRowParameter: Hashable, Sendable {
    /// Its key.
    case key
    /// Its version.
    case version
    /// A column's cell.
    case cell(Int)
}
