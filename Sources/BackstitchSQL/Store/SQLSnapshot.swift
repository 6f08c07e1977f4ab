import Backstitch
import BackstitchSupport
import Foundation

/// A snapshot of an SQL store: a connection with a reading transaction.
final class SQLSnapshot<Connection: SQLSnapshotConnection>: StoreSnapshot {
    private let connection: Connection
    private let statements: ModelStatements
    /// Shared until the end, because this state may name content that later states do not.
    private let content: AssetGuard?
    private let isClosed = Locked(false)

    /// Creates a snapshot on a connection. `content` must already be shared.
    init(_ connection: Connection, statements: ModelStatements, content: AssetGuard?) {
        self.connection = connection
        self.statements = statements
        self.content = content
    }

    deinit { close() }

    func close() {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        if wasClosed { return }
        connection.close()
        content?.unshare()
    }

    func fetch(_ request: StoreFetchRequest) throws -> RowBatch { try read { try $0.rows(request) } }

    func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        try requireOpen()
        let statement = try FetchStatements(statements).rows(request)
        try connection.forEachBatch(of: statement, entity: request.entity, size: size, body)
    }

    func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] { try read { try $0.keys(request) } }

    func count(_ request: StoreFetchRequest) throws -> Int { try read { try $0.count(request) } }

    func fetchDictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows {
        try read { try $0.dictionaries(request) }
    }

    func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        try read { try $0.rows(of: entity, keys: keys) }
    }

    func related(by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]) throws -> RelatedRows {
        try read { try $0.related(by: property, of: entity, sources: sources) }
    }

    private func requireOpen() throws {
        if isClosed.withLock({ $0 }) {
            throw BackstitchError(.storeClosed, "the snapshot of the store was released; take another one")
        }
    }

    private func read<Result>(_ body: (RowReader) throws -> Result) throws -> Result {
        try requireOpen()
        return try connection.read { try body(RowReader($0, statements: statements)) }
    }
}
