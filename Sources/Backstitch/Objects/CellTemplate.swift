import Foundation

/// The first edits of an entity's objects. They are copied whole for each object.
struct CellTemplate: Sendable {
    /// A bit for each column with a value here, a bit for each null column, and the cells of the columns; see
    /// ``ObjectEdits``.
    let words: ContiguousArray<UInt64>
    /// The values that are no numbers; empty if all are null. All objects share them until one is set.
    let others: ContiguousArray<Value>
}

extension Value {
    /// The eight bytes of a number, boolean or date in a cell; nil for other values.
    @inline(__always)
    var numberBits: UInt64? {
        switch self {
        case .int(let number): UInt64(bitPattern: number)
        case .double(let number): number.bitPattern
        case .bool(let flag): flag ? 1 : 0
        case .date(let date): UInt64(bitPattern: date.milliseconds)
        default: nil
        }
    }

    /// Creates the number, boolean or date of a cell's eight bytes.
    @inline(__always)
    init(numberBits bits: UInt64, _ kind: ResolvedProperty.CellKind) {
        switch kind {
        case .integer: self = .int(Int64(bitPattern: bits))
        case .double: self = .double(Double(bitPattern: bits))
        case .boolean: self = .bool(bits != 0)
        case .date: self = .date(Date(milliseconds: Int64(bitPattern: bits)))
        case .text, .bytes: self = .null
        }
    }
}
