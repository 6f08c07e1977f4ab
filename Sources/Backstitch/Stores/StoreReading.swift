/// The requests for rows that all answer who lie below a context: stores, snapshots of them, and the layers between.
public protocol StoreReading {
    /// The rows that a request asks for, in its order.
    func fetch(_ request: StoreFetchRequest) throws -> RowBatch

    /// Gives the rows that a request asks for, in its order, in batches of up to `size`, all of one state of the store.
    /// `body` may read from the store and write to it.
    ///
    /// - Throws: The error that `body` throws, which ends it.
    func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws

    /// The keys of the rows that a request asks for, in its order.
    func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey]

    /// How many rows a request would give.
    func count(_ request: StoreFetchRequest) throws -> Int

    /// The rows of values that a request asks for, in its order: a value for each column.
    ///
    /// - Throws: ``BackstitchError/Code/invalidValue`` when a sum is beyond the range of its type.
    func fetchDictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows

    /// The rows with these keys, in any order; keys without a row are left out.
    func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch

    /// The rows that a relationship leads to, which is not a column of its entity, from each of `sources`.
    func related(by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]) throws -> RelatedRows
}

extension StoreReading {
    /// Fetches the rows for their keys, for stores that have no shorter way.
    public func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] { Array(try fetch(request).keys) }

    /// Fetches the rows and counts them, for stores that have no shorter way.
    public func count(_ request: StoreFetchRequest) throws -> Int { try fetch(request).count }

    /// Fetches all rows at once and gives them in batches, for stores whose rows are in memory anyway.
    public func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        try fetch(request).forEachPart(of: size, body)
    }
}
