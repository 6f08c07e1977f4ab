/// A source of rows over another one. It changes the answers that it has a reason to change, and gives the others as
/// they come.
///
/// Each request goes to the same request of the other source, which may have a shorter way for it than the defaults of
/// ``StoreReading``. A new request needs a line here, and then all layers have it.
package protocol ReadingLayer: StoreReading {
    /// The source of the answers.
    var readingBase: any StoreReading { get }

    /// The source of the answers to a request for rows of an entity; nil where nobody is asked, and there are none.
    func readingBase(for request: StoreFetchRequest) -> (any StoreReading)?
}

extension ReadingLayer {
    /// The same for every request.
    package func readingBase(for request: StoreFetchRequest) -> (any StoreReading)? { readingBase }

    /// The rows that a request asks for, in its order.
    public func fetch(_ request: StoreFetchRequest) throws -> RowBatch {
        try readingBase(for: request)?.fetch(request) ?? RowBatchBuilder(entity: request.entity).finish()
    }

    /// Gives the rows that a request asks for in batches.
    public func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        try readingBase(for: request)?.forEachBatch(request, size: size, body)
    }

    /// The keys of the rows that a request asks for, in its order.
    public func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] {
        try readingBase(for: request)?.fetchKeys(request) ?? []
    }

    /// How many rows a request would give.
    public func count(_ request: StoreFetchRequest) throws -> Int {
        try readingBase(for: request)?.count(request) ?? 0
    }

    /// The rows of values that a request asks for, in its order.
    public func fetchDictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows {
        try readingBase(for: request.fetch)?.fetchDictionaries(request) ?? DictionaryRows([])
    }

    /// The rows with these keys, in any order.
    public func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        try readingBase.rows(of: entity, keys: keys)
    }

    /// The rows that a relationship leads to.
    public func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        try readingBase.related(by: property, of: entity, sources: sources)
    }
}
