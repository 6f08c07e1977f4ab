/// A source of rows over another source. It changes some answers, and passes the others on unchanged.
///
/// Each request is passed on as the same request, since the other source may answer it faster than the defaults of
/// ``StoreReading``. A new request needs only a line here, and then all layers have it.
package protocol ReadingLayer: StoreReading {
    /// The source of the answers.
    var readingBase: any StoreReading { get }

    /// Returns the source of the answers for rows of an entity; nil if no source is asked, and the answer is empty.
    func readingBase(for request: StoreFetchRequest) -> (any StoreReading)?
}

extension ReadingLayer {
    /// Returns the same source for every request.
    package func readingBase(for request: StoreFetchRequest) -> (any StoreReading)? { readingBase }

    /// Returns the rows of a request, in its order.
    public func fetch(_ request: StoreFetchRequest) throws -> RowBatch {
        try readingBase(for: request)?.fetch(request) ?? RowBatchBuilder(entity: request.entity).finish()
    }

    /// Calls `body` with the rows of a request, in batches.
    public func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        try readingBase(for: request)?.forEachBatch(request, size: size, body)
    }

    /// Returns the keys of a request's rows, in its order.
    public func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] {
        try readingBase(for: request)?.fetchKeys(request) ?? []
    }

    /// Returns the number of rows of a request.
    public func count(_ request: StoreFetchRequest) throws -> Int {
        try readingBase(for: request)?.count(request) ?? 0
    }

    /// Returns the value rows of a request, in its order.
    public func fetchDictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows {
        try readingBase(for: request.fetch)?.fetchDictionaries(request) ?? DictionaryRows([])
    }

    /// Returns the rows with these keys, in any order.
    public func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        try readingBase.rows(of: entity, keys: keys)
    }

    /// Returns the rows at the far end of a relationship.
    public func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        try readingBase.related(by: property, of: entity, sources: sources)
    }
}
