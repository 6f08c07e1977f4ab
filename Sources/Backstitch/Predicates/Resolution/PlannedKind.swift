/// The kind of values in a comparison.
package enum PlannedKind: Sendable, Hashable {
    /// Integers of any width, and counts.
    case integer
    /// Doubles, and floats as doubles.
    case double
    /// Decimals of up to 38 digits.
    case decimal
    case boolean
    /// Text, and URIs by their text.
    case text
    /// Dates, compared by milliseconds.
    case date
    /// Bytes inside the row.
    case bytes
    /// Bytes outside the row: they can only be compared with nil.
    case external
    /// UUIDs, ordered by their bytes.
    case uuid
    /// Objects of an entity.
    case object(ResolvedEntity)

    /// Whether values of this kind and another can be equal.
    func isLike(_ other: PlannedKind) -> Bool {
        if case .object(let entity) = self, case .object(let other) = other { return entity.isRelative(of: other) }
        return self == other || isNumber && other.isNumber
    }

    /// Whether the values are numbers, which can be compared across their kinds.
    package var isNumber: Bool { [.integer, .double, .decimal].contains(self) }

    /// Whether the values have an order.
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
