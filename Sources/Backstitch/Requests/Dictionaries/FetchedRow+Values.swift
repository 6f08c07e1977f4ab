extension FetchedRow {
    /// The values of a row: each is made of its cell when it is asked for.
    public struct Values: RandomAccessCollection, Sendable {
        @usableFromInline let table: FetchedTable
        @usableFromInline let row: Int

        @usableFromInline
        init(_ table: FetchedTable, _ row: Int) {
            self.table = table
            self.row = row
        }

        /// Zero.
        @inlinable public var startIndex: Int { 0 }
        /// How many columns there are.
        @inlinable public var endIndex: Int { table.width }

        /// The value of a column. Complexity: O(1), or the length of text and bytes.
        @inlinable
        public subscript(column: Int) -> Value {
            precondition(column >= 0 && column < table.width, "there is no such column")
            guard let cells = table.cells, let kind = table.numberKinds[column] else { return table.value(row, column) }
            let start = cells + row &* table.stride
            if start[column &>> 6] & (1 &<< UInt64(column & 63)) != 0 { return .null }
            let bits = start[table.nullWords &+ column]
            switch kind {
            case .integer: return .int(Int64(bitPattern: bits))
            case .double: return .double(Double(bitPattern: bits))
            case .boolean: return .bool(bits != 0)
            default: return table.value(row, column)
            }
        }
    }
}

extension FetchedRow.Values: Hashable {
    /// Equal values in the same order.
    public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }

    /// Consistent with equality.
    public func hash(into hasher: inout Hasher) {
        for value in self { hasher.combine(value) }
    }
}
