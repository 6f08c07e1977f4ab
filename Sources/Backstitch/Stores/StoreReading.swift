/// The requests for rows that every source below a context answers: stores, snapshots of them, and the layers between.
public protocol StoreReading {
    /// Returns the rows of a request, in its order.
    func fetch(_ request: StoreFetchRequest) throws -> RowBatch

    /// Calls `body` with the rows of a request, in its order, in batches of up to `size`, all of one state of the
    /// store. `body` may read from the store and write to it.
    ///
    /// - Throws: The error of `body`, which ends the call.
    func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws

    /// Returns the keys of a request's rows, in its order.
    func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey]

    /// Returns the number of rows of a request.
    func count(_ request: StoreFetchRequest) throws -> Int

    /// Returns the value rows of a request, in its order: a value for each column.
    ///
    /// - Throws: ``BackstitchError/Code/invalidValue`` if a sum is beyond the range of its type.
    func fetchDictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows

    /// Returns the rows with these keys, in any order; keys without a row are left out.
    func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch

    /// Returns the rows at the far end of a relationship, from each of `sources`. The relationship has no column in its
    /// entity.
    func related(by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]) throws -> RelatedRows
}

extension StoreReading {
    /// Fetches the rows for their keys: the default for stores without a faster way.
    public func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] { Array(try fetch(request).keys) }

    /// Fetches the rows and counts them: the default for stores without a faster way.
    public func count(_ request: StoreFetchRequest) throws -> Int { try fetch(request).count }

    /// Fetches all rows at once and passes them on in batches: the default for stores with their rows in memory.
    public func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        try fetch(request).forEachPart(of: size, body)
    }
}
