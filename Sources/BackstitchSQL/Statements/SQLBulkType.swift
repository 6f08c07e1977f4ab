package import Backstitch

/// The type of a placeholder in a bulk statement.
package enum SQLBulkType: Hashable, Sendable {
    case key, integer, text, bytes
    /// The type of a property's column.
    case column(ResolvedProperty)

    /// Compares the kinds, and for columns their slots and names.
    package static func == (left: SQLBulkType, right: SQLBulkType) -> Bool {
        switch (left, right) {
        case (.key, .key), (.integer, .integer), (.text, .text), (.bytes, .bytes): true
        case (.column(let a), .column(let b)): a.slot == b.slot && a.columnName == b.columnName
        default: false
        }
    }

    /// Hashes the kind, and for a column its name.
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
