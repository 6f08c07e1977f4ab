public import Backstitch
import BackstitchSQL

extension PostgreSQLStore {
    /// The rows that a request asks for, in its order. One statement.
    public func fetch(_ request: StoreFetchRequest) throws -> RowBatch { try read { try $0.rows(request) } }

    /// Gives the rows that a request asks for, in its order, in batches, all of one state of the store: through a cursor on a connection that
    /// is taken from the pool until the end.
    public func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        let statement = try FetchStatements(statements).rows(request)
        try database.readOnce { try $0.forEachBatch(of: statement, entity: request.entity, size: size, body) }
    }

    /// The keys of the rows that a request asks for, in its order. One statement.
    public func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] { try read { try $0.keys(request) } }

    /// How many rows a request would give. One statement.
    public func count(_ request: StoreFetchRequest) throws -> Int { try read { try $0.count(request) } }

    /// The rows of values that a request asks for, in its order. One statement.
    public func fetchDictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows {
        try read { try $0.dictionaries(request) }
    }

    /// The rows with these keys, each once. One statement.
    public func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        try read { try $0.rows(of: entity, keys: keys) }
    }

    /// The rows that a relationship leads to from each of `sources`. One statement.
    public func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        try read { try $0.related(by: property, of: entity, sources: sources) }
    }

    /// Writes a save in one transaction: rows, links, history, and the outbox where there is one.
    ///
    /// It is run again when others got into its way, and found in history when the connection broke at its end.
    ///
    /// - Throws: ``BackstitchError/Code/saveConflict`` with a fault for each object that is not stored as it was read. After any error
    ///   nothing of the request is stored, but for one that says that this is unknown.
    public func save(_ request: SaveChangesRequest) throws -> SaveResult {
        let timestamp = configuration.clock.milliseconds()
        let token = configuration.generator.next()
        return try announced(token) {
            let result = try outbox.write { keepsOutbox in
                try database.save(token: token) { connection in
                    if request.namesAssets { try shareAssets(on: connection) }
                    try keep(request.assets, on: connection)
                    return try SaveWriter(connection, statements: statements, keepsOutbox: keepsOutbox)
                        .write(request, timestamp: timestamp, token: token)
                } number: {
                    $0.transactionNumber
                }
            }
            return (result, request.isEmpty ? nil : result.transactionNumber)
        }
    }

    /// Runs a transaction that others are told of, and we are not. `body` gives its number in history, if it has one.
    func announced<Result>(_ token: ObjectKey, _ body: () throws -> (Result, Int64?)) throws -> Result {
        guard let feed else { return try body().0 }
        own.begin(token)
        do {
            let (result, number) = try body()
            own.end(token, number)
            if number != nil { feed.announce() }
            return result
        } catch {
            own.end(token, nil)
            throw error
        }
    }

    private func read<Result>(_ body: (RowReader) throws -> Result) throws -> Result {
        try database.read { try body(RowReader($0, statements: statements)) }
    }
}
