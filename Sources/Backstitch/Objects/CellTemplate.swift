import Foundation

/// The first edits of an entity's objects: copied whole for each object.
struct CellTemplate: Sendable {
    /// A bit for each column that has a value here, a bit for each that is null, and the columns' cells; see
    /// ``ObjectEdits``.
    let words: ContiguousArray<UInt64>
    /// The values that are no numbers, shared by all until one is set; empty where all are null.
    let others: ContiguousArray<Value>
}

/// Which columns of an entity have cells that are no numbers.
struct CellLayout {
    /// For each of them its place among them; -1 for the others.
    let otherPlaces: ContiguousArray<Int>
    let otherCount: Int
    private let properties: ArraySlice<ResolvedProperty>

    init(_ columns: ArraySlice<ResolvedProperty>) {
        var places: ContiguousArray<Int> = []
        var count = 0
        for property in columns {
            places.append(property.isInArena ? count : -1)
            if property.isInArena { count += 1 }
        }
        properties = columns
        otherPlaces = places
        otherCount = count
    }

    /// Returns the template that edits begin with.
    ///
    /// - Parameter values: A value for each column; nil for edits that have none.
    func template(_ values: [Value]?) -> CellTemplate {
        let width = RowCells.nullWords(properties.count)
        var words = ContiguousArray(repeating: 0 as UInt64, count: width * 2 + properties.count)
        var others = ContiguousArray(repeating: Value.null, count: otherCount)
        for (column, property) in properties.enumerated() {
            let bit = 1 << UInt64(column & 63) as UInt64
            let value = values.map { Self.accepted($0[column], property) } ?? .null
            if values != nil { words[column >> 6] |= bit }
            if value.isNull {
                words[width + column >> 6] |= bit
            } else if otherPlaces[column] >= 0 {
                others[otherPlaces[column]] = value
            } else {
                words[width * 2 + column] = value.numberBits ?? 0
            }
        }
        let isEmpty = others.allSatisfy(\.isNull)
        return CellTemplate(words: words, others: isEmpty ? [] : others)
    }

    /// A default as its attribute keeps it; the model has been checked.
    private static func accepted(_ value: Value, _ property: ResolvedProperty) -> Value {
        property.attribute.flatMap { try? $0.accept(value) } ?? value
    }
}

/// The numbers that may be set on a property as bits, without another look at them.
struct PlainColumn: Sendable {
    /// The kind of number; nil where each value is looked at, or is none.
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

    /// Whether a number fits.
    @inline(__always)
    func takes(_ bits: UInt64, _ kind: ResolvedProperty.CellKind) -> Bool {
        guard kind == self.kind else { return false }
        return kind != .integer || range.contains(Int64(bitPattern: bits))
    }
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

    /// The number, boolean or date of a cell's eight bytes.
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
