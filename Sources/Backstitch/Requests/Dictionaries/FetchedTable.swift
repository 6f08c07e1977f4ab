/// The data shared by all rows of a dictionary fetch: the names of the columns, and the rows.
@usableFromInline
final class FetchedTable: Sendable {
    let names: [String]
    let positions: [String: Int]
    @usableFromInline let width: Int
    private let rows: DictionaryRows.Storage
    private let destinationNames: [String?]
    /// The rows' cells, if the rows are cells; otherwise a placeholder. The table holds their batch, so they live as
    /// long as the table, and no code writes them any more.
    @usableFromInline nonisolated(unsafe) let cells: UnsafePointer<UInt64>
    /// The length of a row in words of memory, and the number of words with null bits; see ``RowCellList``.
    @usableFromInline let stride: Int
    @usableFromInline let nullWords: Int
    /// The kind of number in the cells, by column. Nil if the column has no numbers, or the rows are no cells. It lives
    /// as long as the table.
    @usableFromInline nonisolated(unsafe) let numberKinds: UnsafePointer<ResolvedProperty.CellKind?>

    init(_ request: StoreDictionaryRequest, _ rows: DictionaryRows) {
        names = request.columns.map(\.name)
        positions = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        width = names.count
        destinationNames = request.columns.map(\.destinationName)
        self.rows = rows.storage
        let kinds = UnsafeMutablePointer<ResolvedProperty.CellKind?>.allocate(capacity: max(width, 1))
        kinds.initialize(repeating: nil, count: width)
        numberKinds = UnsafePointer(kinds)
        if case .batch(let batch) = rows.storage {
            let list = batch.rowCells
            (cells, stride, nullWords) = (list.start, list.stride, list.nullWords)
            for (column, property) in request.results.properties.enumerated() where !property.isInArena {
                kinds[column] = property.cellKind
            }
        } else {
            (cells, stride, nullWords) = (Self.nothing, 0, 0)
        }
    }

    deinit { numberKinds.deallocate() }

    // A placeholder, never read or written.
    nonisolated(unsafe) private static let nothing = UnsafePointer(UnsafeMutablePointer<UInt64>.allocate(capacity: 1))

    /// Returns a value in full generality: from finished values, or from a cell with any content.
    @usableFromInline
    func value(_ row: Int, _ column: Int) -> Value {
        switch rows {
        case .values(let rows): return rows[row][column]
        case .batch(let batch):
            if let name = destinationNames[column], !batch.isNull(row, column) {
                return .object(ObjectID(entityName: name, key: batch.key(row, column)))
            }
            return batch.value(row, column)
        }
    }
}
