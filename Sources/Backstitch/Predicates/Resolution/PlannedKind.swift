/// The kind as which values are compared.
package enum PlannedKind: Sendable, Hashable {
    /// Integers of any width, and counts.
    case integer
    /// Doubles, and floats.
    case double
    /// Decimals.
    case decimal
    /// Truth values.
    case boolean
    /// Text, and URIs by their text.
    case text
    /// Dates.
    case date
    /// Bytes inside the row.
    case bytes
    /// Bytes outside the row, which can only be there or not.
    case external
    /// UUIDs.
    case uuid
    /// Objects of an entity.
    case object(ResolvedEntity)

    /// Whether values of this kind and another can be equal.
    func isLike(_ other: PlannedKind) -> Bool {
        if case .object(let entity) = self, case .object(let other) = other { return entity.isRelative(of: other) }
        return self == other || isNumber && other.isNumber
    }

    /// Whether values are numbers, which compare across their kinds.
    package var isNumber: Bool { [.integer, .double, .decimal].contains(self) }

    /// Whether values have an order.
    package var isOrdered: Bool { isNumber || [.text, .date, .uuid].contains(self) }

    /// The kind of an attribute's values.
    package init(_ attribute: AttributeDescription) {
        self =
            switch attribute.type {
            case .integer16, .integer32, .integer64: .integer
            case .double, .float: .double
            case .decimal: .decimal
            case .boolean: .boolean
            case .string, .uri: .text
            case .date: .date
            case .binary: attribute.allowsExternalStorage ? .external : .bytes
            case .transformable: .bytes
            case .uuid: .uuid
            }
    }
}
