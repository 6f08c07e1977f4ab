/// The rows of a batch in memory, for loops over many of them in other modules, which see its fields but not into its
/// functions. Good as long as the batch.
package struct RowCellList {
    /// The first row's words of null bits, 64 columns to a word; behind them its cells, behind these the next row.
    package let start: UnsafePointer<UInt64>
    /// How many words of null bits a row has.
    package let nullWords: Int
    /// How many words a row has in all.
    package let stride: Int

    init(_ start: UnsafeMutablePointer<UInt64>, columnCount: Int) {
        self.start = UnsafePointer(start)
        nullWords = RowCells.nullWords(columnCount)
        stride = nullWords + columnCount
    }
}
