/// The rows that a store found for a ``StoreDictionaryRequest``: a value for each column.
public struct DictionaryRows: Sendable {
    enum Storage: Sendable {
        case values([[Value]])
        case batch(RowBatch)
    }

    let storage: Storage

    /// Rows that are values already.
    public init(_ rows: [[Value]]) { storage = .values(rows) }

    /// Rows as cells: a batch of the request's ``StoreDictionaryRequest/results``, whose keys and versions are of no
    /// account. No value is made before somebody asks for it.
    public init(_ batch: RowBatch) { storage = .batch(batch) }

    /// How many rows there are.
    public var count: Int {
        switch storage {
        case .values(let rows): rows.count
        case .batch(let batch): batch.count
        }
    }
}
