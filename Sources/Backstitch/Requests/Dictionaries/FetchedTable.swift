/// What all rows of a dictionary fetch share: the names of the columns, and the rows.
@usableFromInline
final class FetchedTable: Sendable {
    let names: [String]
    let positions: [String: Int]
    @usableFromInline let width: Int
    private let rows: DictionaryRows.Storage
    private let destinationNames: [String?]
    /// The rows' cells, where they are cells. They stay as long as the table, which holds their batch, and nobody writes them any more.
    @usableFromInline nonisolated(unsafe) let cells: UnsafePointer<UInt64>?
    /// How many words of memory a row has, and how many of them are null bits; see ``RowCellList``.
    @usableFromInline let stride: Int
    @usableFromInline let nullWords: Int
    /// By column, what number a cell is; nil where it is none.
    @usableFromInline let numberKinds: ContiguousArray<ResolvedProperty.CellKind?>

    init(_ request: StoreDictionaryRequest, _ rows: DictionaryRows) {
        names = request.columns.map(\.name)
        positions = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        width = names.count
        destinationNames = request.columns.map(\.destinationName)
        self.rows = rows.storage
        numberKinds = ContiguousArray(request.results.properties.map { $0.isInArena ? nil : $0.cellKind })
        if case .batch(let batch) = rows.storage {
            let list = batch.rowCells
            (cells, stride, nullWords) = (list.start, list.stride, list.nullWords)
        } else {
            (cells, stride, nullWords) = (nil, 0, 0)
        }
    }

    /// A value that is not a number in a cell.
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
