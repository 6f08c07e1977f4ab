package import Backstitch
import Foundation

/// A snapshot of a SQL store: a connection with a transaction that reads, used by one at a time.
package final class SQLSnapshot: StoreSnapshot {
    /// The interface that a database provides for a snapshot.
    package protocol Connection: Sendable {
        /// Runs `body` with the connection.
        func read(_ body: (any SQLConnection) throws -> Void) throws
        /// Gives the rows of a query in batches.
        func forEachBatch(
            of statement: SQLStatement, entity: ResolvedEntity, size: Int, _ body: (RowBatch) throws -> Void) throws
        /// Ends the transaction and lets the connection go.
        func close()
    }

    private let connection: any Connection
    private let statements: ModelStatements
    private let isClosed = Locked(false)

    /// A snapshot through a connection.
    package init(_ connection: any Connection, statements: ModelStatements) {
        self.connection = connection
        self.statements = statements
    }

    deinit { close() }

    package func close() {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        if !wasClosed { connection.close() }
    }

    package func fetch(_ request: StoreFetchRequest) throws -> RowBatch { try read { try $0.rows(request) } }

    package func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        try requireOpen()
        let statement = try FetchStatements(statements).rows(request)
        try connection.forEachBatch(of: statement, entity: request.entity, size: size, body)
    }

    package func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] { try read { try $0.keys(request) } }

    package func count(_ request: StoreFetchRequest) throws -> Int { try read { try $0.count(request) } }

    package func fetchDictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows {
        try read { try $0.dictionaries(request) }
    }

    package func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        try read { try $0.rows(of: entity, keys: keys) }
    }

    package func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        try read { try $0.related(by: property, of: entity, sources: sources) }
    }

    private func requireOpen() throws {
        if isClosed.withLock({ $0 }) {
            throw BackstitchError(.storeClosed, "the snapshot of the store was let go; take another one")
        }
    }

    private func read<Result>(_ body: (RowReader) throws -> Result) throws -> Result {
        try requireOpen()
        var result: Result?
        try connection.read { result = try body(RowReader($0, statements: statements)) }
        if let result { return result }
        throw BackstitchError(.internalInconsistency, "a connection did not run what it was given")
    }
}
