public import Backstitch

/// Reading: each request is answered from the content as it is when the request comes.
extension JSONFileStore {
    /// The rows that a request asks for, in its order.
    public func fetch(_ request: StoreFetchRequest) throws -> RowBatch { try content().fetch(request) }

    /// Their keys.
    public func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] {
        try content().subjects(request).map(\.key)
    }

    /// Their number.
    public func count(_ request: StoreFetchRequest) throws -> Int { try content().subjects(request).count }

    /// Values of rows, grouped and aggregated in memory.
    public func fetchDictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows {
        DictionaryRows(try request.results(from: content().subjects(request.fetch).map { $0 as any PredicateSubject }))
    }

    /// The rows with these keys.
    public func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        try content().rows(of: entity, keys: keys)
    }

    /// The rows that a relationship leads to.
    public func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        try content().related(by: property, of: entity, sources: sources)
    }

    /// The content as it is now. Costs nothing until somebody writes.
    public func makeSnapshot() throws -> (any StoreSnapshot)? { try JSONFileSnapshot(of: self) }
}

/// Writing.
extension JSONFileStore {
    /// Writes a save.
    public func save(_ request: SaveChangesRequest) throws -> SaveResult {
        try write { content in
            // Bytes are kept before the rows that name them.
            try assets.write(request.assets)
            if !request.isEmpty { try content.save(request) }
            return SaveResult(transactionNumber: content.transactionNumber)
        }
    }

    /// Inserts, changes or deletes many rows.
    public func execute(_ request: StoreBatchRequest) throws -> StoreChanges {
        try write { try $0.execute(request, keep: assets.write) }
    }
}
