package import Backstitch

/// A store in an SQL database: the requests that are the same for all SQL stores.
///
/// A backend's store opens and closes the database, and provides the place for the bytes of assets. All other requests
/// are here. A backend replaces one only if it has a shorter method.
package protocol SQLStore: JournalingStore {
    associatedtype Database: SQLDatabase
    associatedtype Snapshot: SQLSnapshotConnection

    /// The database with its connections and transactions.
    var database: Database { get }
    /// The settings of the store's opening.
    var configuration: StoreConfiguration { get }
    /// The statements of the model.
    var statements: ModelStatements { get }
    /// Whether saves fill the outbox.
    var outbox: OutboxMark { get }

    /// Reports others' changes to this store, and this store's changes to others; nil if the store follows no changes.
    var feed: ChangeFeed? { get }

    /// A token for the next transaction; nil if tokens are not needed.
    func makeToken() -> ObjectKey?

    /// A connection that stays at the present state; nil if the database has none to give.
    func beginSnapshot() throws -> Snapshot?

    // MARK: Assets

    /// The bytes outside the database, if no other store may name them. Otherwise nil, and they are never removed.
    var content: (any CollectedAssets)? { get }

    /// Whether bytes are kept in the transaction that names them; otherwise before it.
    var keepsAssetsInTransactions: Bool { get }

    /// Keeps content from being collected until the end of a transaction that will name some.
    func shareAssets(on connection: Database.Connection) throws

    /// Keeps the bytes that rows are going to name.
    ///
    /// - Parameter connection: The connection of the transaction that names them; nil before it.
    func keep(_ contents: AssetContents, on connection: Database.Connection?) throws
}

extension SQLStore {
    /// The number of requests that the database can read for at the same time.
    public var concurrency: Int { database.readerCount }

    /// Only a feed needs tokens, so a store without one makes none.
    package func makeToken() -> ObjectKey? { feed == nil ? nil : configuration.generator.next() }

    /// Files are synced before the transaction, so that they do not delay other writers.
    package var keepsAssetsInTransactions: Bool { false }

    /// Does nothing: ``content`` guards bytes outside the database.
    package func shareAssets(on connection: Database.Connection) throws {}

    package func keep(_ contents: AssetContents, on connection: Database.Connection?) throws {
        if !contents.isEmpty { try assets.write(contents) }
    }
}

// MARK: Reading

extension SQLStore {
    /// The rows of a request, in its order. One statement.
    public func fetch(_ request: StoreFetchRequest) throws -> RowBatch { try read { try $0.rows(request) } }

    /// The keys of a request's rows, in its order. One statement.
    public func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] { try read { try $0.keys(request) } }

    /// The number of rows that a request would return. One statement.
    public func count(_ request: StoreFetchRequest) throws -> Int { try read { try $0.count(request) } }

    /// The rows of values of a request, in its order. One statement.
    public func fetchDictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows {
        try read { try $0.dictionaries(request) }
    }

    /// The rows with these keys, each once. There is one statement for each group of keys that the database takes at
    /// once.
    public func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        try read(keys) { try $0.rows(of: entity, keys: keys) }
    }

    /// The rows at the other end of a relationship, for each of `sources`. There is one statement for each group of
    /// keys that the database takes at once.
    public func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        try read(sources) { try $0.related(by: property, of: entity, sources: sources) }
    }

    /// Passes the rows of a request to `body` in batches, in its order. All are of one state of the store. One
    /// statement.
    public func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        let statement = try FetchStatements(statements).rows(request)
        // The bytes that a state names stay during the read.
        try naming(request.entity.hasExternalColumns) {
            try database.forEachBatch(of: statement, entity: request.entity, size: size, body)
        }
    }

    /// The store in its present state, through a connection of its own; nil if the database has none to give.
    public func makeSnapshot() throws -> (any StoreSnapshot)? {
        // The bytes that a state names stay during its use. The reader shares the guard before it takes the state.
        let guarding = content?.content
        try guarding?.share()
        do {
            if let connection = try beginSnapshot() {
                return SQLSnapshot(connection, statements: statements, content: guarding)
            }
        } catch {
            guarding?.unshare()
            throw error
        }
        guarding?.unshare()
        return nil
    }

    private func read<Result>(_ body: (RowReader) throws -> Result) throws -> Result {
        try database.read(isSnapshot: false) { try body(RowReader($0, statements: statements)) }
    }

    /// Runs `body`, which reads the rows of some keys.
    package func read<Result>(_ keys: [ObjectKey], _ body: (RowReader) throws -> Result) throws -> Result {
        guard keys.count <= statements.dialect.maximumKeys ?? .max else {
            return try database.read(isSnapshot: true) { try body(RowReader($0, statements: statements)) }
        }
        return try database.look { try body(RowReader($0, statements: statements)) }
    }
}
