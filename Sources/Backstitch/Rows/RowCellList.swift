/// The rows of a batch in memory, for loops over many rows in other modules. Such modules see its fields, but not into
/// its functions. It is valid as long as the batch.
package struct RowCellList {
    /// The first row's words of null bits, 64 columns to a word. Its cells follow them, and then the next row.
    package let start: UnsafePointer<UInt64>
    /// The number of words of null bits in a row.
    package let nullWords: Int
    /// The number of words in a row in all.
    package let stride: Int

    init(_ start: UnsafeMutablePointer<UInt64>, columnCount: Int) {
        self.start = UnsafePointer(start)
        nullWords = RowCells.nullWords(columnCount)
        stride = nullWords + columnCount
    }
}
