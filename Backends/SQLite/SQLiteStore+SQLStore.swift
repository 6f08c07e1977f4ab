public import Backstitch
import BackstitchSQL

extension SQLiteStore: SQLStore {
    package func beginSnapshot() throws -> SQLiteSnapshot? { try database.makeSnapshot() }
}

extension SQLiteStore {
    /// The rows with these keys, each once. One statement takes 50,000 keys. A single key has a shorter path of its
    /// own.
    public func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        if keys.count == 1 {
            let row = try database.row(of: entity, key: keys[0], statements.rowByKey(of: entity))
            if let row { return row }
        }
        return try read(keys) { try $0.rows(of: entity, keys: keys) }
    }

    /// One writer and all readers, but at least 8, because closures do not use the database all the time.
    public var concurrency: Int { max(8, SQLiteOptions(configuration).maximumReaderCount + 1) }

    /// Under `NORMAL`, waits until the log is on the disk. Under `FULL` each commit has already waited. Under `OFF`
    /// there is no guarantee.
    public func makeDurable() throws {
        guard configuration.url != nil, SQLiteOptions(configuration).synchronous == .normal else { return }
        try database.readDurably { _ in }
    }
}
