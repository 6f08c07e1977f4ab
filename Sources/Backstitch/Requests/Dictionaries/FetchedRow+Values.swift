extension FetchedRow {
    /// The values of a row; each is made from its cell when it is read.
    public struct Values: RandomAccessCollection, Sendable {
        @usableFromInline let table: FetchedTable
        @usableFromInline let row: Int

        @usableFromInline
        init(_ table: FetchedTable, _ row: Int) {
            self.table = table
            self.row = row
        }

        /// The first index, always zero.
        @inlinable public var startIndex: Int { 0 }
        /// The number of columns in the row.
        @inlinable public var endIndex: Int { table.width }

        /// The value of a column. Complexity: O(1), or the length of text and bytes.
        @inlinable
        public subscript(column: Int) -> Value {
            precondition(column >= 0 && column < table.width, "there is no such column")
            return FetchedTable.value(table, row, column, in: table.cells + row &* table.stride)
        }

        /// Returns an iterator over the values.
        @inlinable public func makeIterator() -> Iterator { Iterator(table, row) }

        /// An iterator over the values of a row.
        public struct Iterator: IteratorProtocol {
            @usableFromInline let table: FetchedTable
            @usableFromInline let row: Int
            @usableFromInline let start: UnsafePointer<UInt64>
            @usableFromInline let width: Int
            @usableFromInline var column = 0

            @inlinable
            init(_ table: FetchedTable, _ row: Int) {
                self.table = table
                self.row = row
                start = table.cells + row &* table.stride
                width = table.width
            }

            /// Returns the next value; nil after the last.
            @inlinable
            public mutating func next() -> Value? {
                guard column < width else { return nil }
                defer { column &+= 1 }
                return FetchedTable.value(table, row, column, in: start)
            }
        }
    }
}

extension FetchedTable {
    /// Returns the value of a column, in the row with cells from `start` on.
    @inlinable
    @inline(__always)
    static func value(_ table: FetchedTable, _ row: Int, _ column: Int, in start: UnsafePointer<UInt64>) -> Value {
        guard let kind = table.numberKinds[column] else { return table.value(row, column) }
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

extension FetchedRow.Values: Hashable {
    /// Compares the values in order.
    public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }

    /// Hashes consistently with equality.
    public func hash(into hasher: inout Hasher) {
        for value in self { hasher.combine(value) }
    }
}
