/// Divides the columns of an entity into columns of numbers and other columns.
struct CellLayout {
    /// By column: its place among the columns that are no numbers; -1 for a column of numbers.
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
    /// - Parameter values: A value for each column; nil for edits without values.
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

    /// Returns a default as its attribute keeps it. The model has been checked before.
    private static func accepted(_ value: Value, _ property: ResolvedProperty) -> Value {
        property.attribute.flatMap { try? $0.accept(value) } ?? value
    }
}
