public import Backstitch
import BackstitchSQL

extension SQLiteStore {
    /// The rows that a request asks for, in its order. One statement.
    public func fetch(_ request: StoreFetchRequest) throws -> RowBatch {
        try read(isSnapshot: false) { try $0.rows(request) }
    }

    /// Gives the rows that a request asks for, in its order, in batches, all of one state of the store. One statement. A store in
    /// memory copies the rows first; one in a file reads on as it goes, on a connection of its own.
    public func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        let statement = try FetchStatements(statements).rows(request)
        // The bytes that a state names stay as long as it is read.
        try content.naming(request.entity.hasExternalColumns) {
            try database.forEachBatch(of: statement, entity: request.entity, size: size, body)
        }
    }

    /// The keys of the rows that a request asks for, in its order. One statement.
    public func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] {
        try read(isSnapshot: false) { try $0.keys(request) }
    }

    /// How many rows a request would give. One statement.
    public func count(_ request: StoreFetchRequest) throws -> Int {
        try read(isSnapshot: false) { try $0.count(request) }
    }

    /// The rows of values that a request asks for, in its order. One statement.
    public func fetchDictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows {
        try read(isSnapshot: false) { try $0.dictionaries(request) }
    }

    /// The rows with these keys, each once. One statement for 50,000 keys.
    public func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        if keys.count == 1 {
            let row = try database.row(of: entity, key: keys[0], statements.rowByKey(of: entity))
            if let row { return row }
        }
        return try read(keys) { try $0.rows(of: entity, keys: keys) }
    }

    /// The rows that a relationship leads to from each of `sources`. One statement for 50,000 sources.
    public func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        try read(sources) { try $0.related(by: property, of: entity, sources: sources) }
    }

    /// Writes a save in one transaction: rows, links, history, and the outbox where there is one.
    ///
    /// - Throws: ``BackstitchError/Code/saveConflict`` with a fault for each object that is not stored as it was read.
    ///   After any error nothing of the request is stored.
    public func save(_ request: SaveChangesRequest) throws -> SaveResult {
        let timestamp = configuration.clock.milliseconds()
        return try content.naming(request.namesAssets) {
            try keep(request.assets)
            return try own { token in
                let result = try outbox.write { keepsOutbox in
                    try database.write { connection in
                        try SaveWriter(connection, statements: statements, keepsOutbox: keepsOutbox)
                            .write(request, timestamp: timestamp, token: token)
                    }
                }
                return (result, request.isEmpty ? nil : result.transactionNumber)
            }
        }
    }

    /// Keeps bytes that rows are going to name.
    func keep(_ contents: AssetContents) throws {
        if !contents.isEmpty { try assets.write(contents) }
    }

    /// Runs a transaction that the feed of others' changes leaves out. `body` gets a token for it, and gives its number in history,
    /// if it has one.
    func own<Result>(_ body: (ObjectKey?) throws -> (Result, Int64?)) throws -> Result {
        guard feed != nil else { return try body(nil).0 }
        let token = configuration.generator.next()
        ownTransactions.begin(token)
        do {
            let (result, number) = try body(token)
            ownTransactions.end(token, number)
            return result
        } catch {
            ownTransactions.end(token, nil)
            throw error
        }
    }

    private func read<Result>(isSnapshot: Bool, _ body: (RowReader) throws -> Result) throws -> Result {
        try database.read(isSnapshot: isSnapshot) { try body(RowReader($0, statements: statements)) }
    }

    /// Runs `body`, which reads what belongs to some keys.
    private func read<Result>(_ keys: [ObjectKey], _ body: (RowReader) throws -> Result) throws -> Result {
        guard SQLStatement.keyChunks(keys, dialect: .sqlite).count <= 1 else { return try read(isSnapshot: true, body) }
        return try database.look { try body(RowReader($0, statements: statements)) }
    }
}
