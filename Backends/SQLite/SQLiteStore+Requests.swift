public import Backstitch
import BackstitchSQL

extension SQLiteStore {
    /// Gives the rows that a request asks for, in its order, in batches, all of one state of the store. One statement.
    /// A store in memory copies the rows first; one in a file reads on as it goes, on a connection of its own.
    public func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        let statement = try FetchStatements(statements).rows(request)
        // The bytes that a state names stay as long as it is read.
        try naming(request.entity.hasExternalColumns) {
            try database.forEachBatch(of: statement, entity: request.entity, size: size, body)
        }
    }

    /// The rows with these keys, each once. One statement for 50,000 keys; a single key goes past all that several
    /// need.
    public func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        if keys.count == 1 {
            let row = try database.row(of: entity, key: keys[0], statements.rowByKey(of: entity))
            if let row { return row }
        }
        return try read(keys) { try $0.rows(of: entity, keys: keys) }
    }

    /// Under `NORMAL`, waits until the log is on the disk. Under `FULL` each commit has waited; under `OFF` nothing is
    /// sure anyway.
    public func makeDurable() throws {
        guard configuration.url != nil, SQLiteOptions(configuration).synchronous == .normal else { return }
        try database.readDurably { _ in }
    }
}
