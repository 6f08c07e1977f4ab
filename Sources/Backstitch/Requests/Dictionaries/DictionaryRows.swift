/// The rows found by a store for a ``StoreDictionaryRequest``: a value for each column.
public struct DictionaryRows: Sendable {
    enum Storage: Sendable {
        case values([[Value]])
        case batch(RowBatch)
    }

    let storage: Storage

    /// Makes rows from finished values.
    public init(_ rows: [[Value]]) { storage = .values(rows) }

    /// Makes rows from cells: a batch of the request's ``StoreDictionaryRequest/results``. Its keys and versions are
    /// ignored. A value is made only when it is read.
    public init(_ batch: RowBatch) { storage = .batch(batch) }

    /// The number of rows in the result.
    public var count: Int {
        switch storage {
        case .values(let rows): rows.count
        case .batch(let batch): batch.count
        }
    }
}
