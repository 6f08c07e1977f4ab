/// The numbers that may be set on a property as bits, without further checks.
struct PlainColumn: Sendable {
    /// The kind of number; nil if each value must be checked, or is no number.
    let kind: ResolvedProperty.CellKind?
    private let range: ClosedRange<Int64>

    init(_ property: ResolvedProperty) {
        guard let attribute = property.attribute, attribute.derivation == nil, !attribute.isTransient else {
            kind = nil
            range = 0...0
            return
        }
        switch attribute.type {
        case .integer16: (kind, range) = (.integer, Int64(Int16.min)...Int64(Int16.max))
        case .integer32: (kind, range) = (.integer, Int64(Int32.min)...Int64(Int32.max))
        case .integer64, .boolean, .date, .double: (kind, range) = (property.cellKind, .min ... .max)
        default: (kind, range) = (nil, 0...0)
        }
    }

    /// Whether a number fits the attribute.
    @inline(__always)
    func takes(_ bits: UInt64, _ kind: ResolvedProperty.CellKind) -> Bool {
        guard kind == self.kind else { return false }
        return kind != .integer || range.contains(Int64(bitPattern: bits))
    }
}
