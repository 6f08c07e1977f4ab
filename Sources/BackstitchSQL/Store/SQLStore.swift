package import Backstitch

/// A store in an SQL database: the requests that are the same for all of them.
///
/// A backend's store has the database and says where bytes of assets are kept. Opening, closing and snapshots are its
/// own, and so is any request that it has a shorter way for.
package protocol SQLStore: JournalingStore {
    associatedtype Database: SQLDatabase

    /// The connections and transactions.
    var database: Database { get }
    /// The settings that the store was opened with.
    var configuration: StoreConfiguration { get }
    /// The statements of the model.
    var statements: ModelStatements { get }
    /// Whether saves note what is to be sent.
    var outbox: OutboxMark { get }

    // MARK: What others are told

    /// The store's own transactions, which it is not told of; nil when it follows nobody's.
    var ownTransactions: OwnTransactions? { get }

    /// A name for the next transaction; nil when nobody asks for names.
    func makeToken() -> ObjectKey?

    /// Tells other processes of a transaction, where they do not notice by themselves.
    func announce()

    // MARK: Assets

    /// Whether bytes are kept in the transaction that names them, or before it.
    var keepsAssetsInTransactions: Bool { get }

    /// Runs a request. If `names` says that its rows are going to name content, or that it reads a state that does,
    /// none is collected meanwhile.
    func naming<Result>(_ names: Bool, _ body: () throws -> Result) throws -> Result

    /// Keeps content from being collected until the end of a transaction that is going to name some.
    func shareAssets(on connection: Database.Connection) throws

    /// Keeps bytes that rows are going to name.
    ///
    /// - Parameter connection: The connection of the transaction that names them; nil before it.
    func keep(_ contents: AssetContents, on connection: Database.Connection?) throws
}

extension SQLStore {
    /// Others notice by themselves.
    package func announce() {}

    /// Nothing: a database that keeps bytes in its transactions guards them there.
    package func naming<Result>(_ names: Bool, _ body: () throws -> Result) throws -> Result { try body() }

    /// Nothing: bytes beside the database are guarded by ``naming(_:_:)``.
    package func shareAssets(on connection: Database.Connection) throws {}
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
