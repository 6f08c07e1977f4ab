/// One row's cells in memory: words with a bit for each null cell, then the cells.
///
/// It is for loops that decode, bind and save rows. Columns are not checked against the row's width, because these
/// loops use the entity's own columns. It is valid as long as its batch or builder.
package struct RowCells {
    /// The words of bits. ``cells`` are behind them.
    let start: UnsafeMutablePointer<UInt64>
    /// The cells by column. Setting a cell leaves its null bit as it is.
    package let cells: UnsafeMutablePointer<UInt64>

    @inline(__always)
    init(start: UnsafeMutablePointer<UInt64>, nullWords: Int) {
        self.start = start
        cells = start + nullWords
    }

    /// Returns the number of words of null bits in a row of `columnCount` columns.
    static func nullWords(_ columnCount: Int) -> Int { (columnCount + 63) / 64 }

    /// Whether a cell has no value.
    @inline(__always)
    func isNull(_ column: Int) -> Bool { start[column &>> 6] & (1 &<< UInt64(column & 63)) != 0 }

    /// Marks a cell as null. Its bytes become 0.
    @inline(__always)
    package func setNull(_ column: Int) {
        start[column &>> 6] |= 1 &<< UInt64(column & 63)
        cells[column] = 0
    }

    /// The eight bytes of a cell.
    @inline(__always)
    subscript(column: Int) -> UInt64 {
        get { cells[column] }
        nonmutating set { cells[column] = newValue }
    }

    /// Copies the cells of another row of the same width. None of them may refer to an arena.
    func copy(_ other: RowCells, columnCount: Int) {
        start.update(from: other.start, count: (cells - start) + columnCount)
    }
}
