public import Backstitch
import BackstitchSQL

extension PostgreSQLStore {
    /// Gives the rows that a request asks for, in its order, in batches, all of one state of the store: through a
    /// cursor on a connection that is taken from the pool until the end.
    public func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        let statement = try FetchStatements(statements).rows(request)
        try database.readOnce { try $0.forEachBatch(of: statement, entity: request.entity, size: size, body) }
    }
}
