package import Backstitch

/// A store in an SQL database: the requests that are the same for all of them.
///
/// A backend's store opens and closes the database and says where bytes of assets are kept. All else is here, but for a
/// request that a backend has a shorter way for.
package protocol SQLStore: JournalingStore {
    associatedtype Database: SQLDatabase
    associatedtype Snapshot: SQLSnapshotConnection

    /// The connections and transactions.
    var database: Database { get }
    /// The settings that the store was opened with.
    var configuration: StoreConfiguration { get }
    /// The statements of the model.
    var statements: ModelStatements { get }
    /// Whether saves note what is to be sent.
    var outbox: OutboxMark { get }

    /// Tells of others' changes, and others of this store's; nil when it follows nobody's.
    var feed: ChangeFeed? { get }

    /// A name for the next transaction; nil when nobody asks for names.
    func makeToken() -> ObjectKey?

    /// A connection that stays at the present state; nil where there is none to have.
    func beginSnapshot() throws -> Snapshot?

    // MARK: Assets

    /// The bytes that are kept outside the database, if no other store may name them; else nil, and nobody lets go of
    /// them.
    var content: (any CollectedAssets)? { get }

    /// Whether bytes are kept in the transaction that names them, or before it.
    var keepsAssetsInTransactions: Bool { get }

    /// Keeps content from being collected until the end of a transaction that is going to name some.
    func shareAssets(on connection: Database.Connection) throws

    /// Keeps bytes that rows are going to name.
    ///
    /// - Parameter connection: The connection of the transaction that names them; nil before it.
    func keep(_ contents: AssetContents, on connection: Database.Connection?) throws
}

extension SQLStore {
    /// As many as the database can read for at the same time.
    public var concurrency: Int { database.readerCount }

    /// Only a feed asks.
    package func makeToken() -> ObjectKey? { feed == nil ? nil : configuration.generator.next() }

    /// Files are synced before the transaction, which need not hold up others meanwhile.
    package var keepsAssetsInTransactions: Bool { false }

    /// Nothing: bytes beside the database are guarded by ``content``.
    package func shareAssets(on connection: Database.Connection) throws {}

    package func keep(_ contents: AssetContents, on connection: Database.Connection?) throws {
        if !contents.isEmpty { try assets.write(contents) }
    }
}

// MARK: Reading

extension SQLStore {
    /// The rows that a request asks for, in its order. One statement.
    public func fetch(_ request: StoreFetchRequest) throws -> RowBatch { try read { try $0.rows(request) } }

    /// The keys of the rows that a request asks for, in its order. One statement.
    public func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] { try read { try $0.keys(request) } }

    /// How many rows a request would give. One statement.
    public func count(_ request: StoreFetchRequest) throws -> Int { try read { try $0.count(request) } }

    /// The rows of values that a request asks for, in its order. One statement.
    public func fetchDictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows {
        try read { try $0.dictionaries(request) }
    }

    /// The rows with these keys, each once. One statement for as many keys as the database takes in one.
    public func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        try read(keys) { try $0.rows(of: entity, keys: keys) }
    }

    /// The rows that a relationship leads to from each of `sources`. One statement for as many keys as the database
    /// takes in one.
    public func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        try read(sources) { try $0.related(by: property, of: entity, sources: sources) }
    }

    /// Gives the rows that a request asks for, in its order, in batches, all of one state of the store. One statement.
    public func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        let statement = try FetchStatements(statements).rows(request)
        // The bytes that a state names stay as long as it is read.
        try naming(request.entity.hasExternalColumns) {
            try database.forEachBatch(of: statement, entity: request.entity, size: size, body)
        }
    }

    /// The store as it is now, through a connection of its own; nil where the database has none to give.
    public func makeSnapshot() throws -> (any StoreSnapshot)? {
        // The bytes that a state names stay as long as it is read; who reads it shares them from before it is taken.
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
