/// One row's cells in memory: words whose bits tell which of them are null, then the cells.
///
/// For the loops that decode, bind and save rows: columns are not checked against the row's width, since those loops go
/// by the entity's own columns. Good as long as the batch or builder that it comes from.
package struct RowCells {
    /// The words of bits; behind them ``cells``.
    let start: UnsafeMutablePointer<UInt64>
    /// The cells by column. Setting one leaves the null bit as it is.
    package let cells: UnsafeMutablePointer<UInt64>

    @inline(__always)
    init(start: UnsafeMutablePointer<UInt64>, nullWords: Int) {
        self.start = start
        cells = start + nullWords
    }

    /// How many words of null bits a row of so many columns has.
    static func nullWords(_ columnCount: Int) -> Int { (columnCount + 63) / 64 }

    /// Whether a cell has no value.
    @inline(__always)
    func isNull(_ column: Int) -> Bool { start[column &>> 6] & (1 &<< UInt64(column & 63)) != 0 }

    /// Marks a cell as one without a value. Its bytes are 0.
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

    /// Takes over the cells of another row of the same width, none of which refers to an arena.
    func copy(_ other: RowCells, columnCount: Int) {
        start.update(from: other.start, count: (cells - start) + columnCount)
    }
}
