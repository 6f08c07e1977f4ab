public import Backstitch
import BackstitchSQL

extension SQLiteStore: SQLStore {
    package func beginSnapshot() throws -> SQLiteSnapshot? { try database.makeSnapshot() }
}

extension SQLiteStore {
    /// The rows with these keys, each once. One statement for 50,000 keys; a single key goes past all that several
    /// need.
    public func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        if keys.count == 1 {
            let row = try database.row(of: entity, key: keys[0], statements.rowByKey(of: entity))
            if let row { return row }
        }
        return try read(keys) { try $0.rows(of: entity, keys: keys) }
    }

    /// One that writes and those that read; not fewer than 8, since closures do not use the database all the time.
    public var concurrency: Int { max(8, SQLiteOptions(configuration).maximumReaderCount + 1) }

    /// Under `NORMAL`, waits until the log is on the disk. Under `FULL` each commit has waited; under `OFF` nothing is
    /// sure anyway.
    public func makeDurable() throws {
        guard configuration.url != nil, SQLiteOptions(configuration).synchronous == .normal else { return }
        try database.readDurably { _ in }
    }
}
