public import Backstitch

/// Reading: each request is answered from the content at its beginning.
extension JSONFileStore {
    /// Returns the rows that match a request, in its order.
    public func fetch(_ request: StoreFetchRequest) throws -> RowBatch { try content().fetch(request) }

    /// Returns the keys of the rows that match a request, in its order.
    public func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] {
        try content().subjects(request).map(\.key)
    }

    /// Returns the number of rows that match a request.
    public func count(_ request: StoreFetchRequest) throws -> Int { try content().subjects(request).count }

    /// Returns values of rows, grouped and aggregated in memory.
    public func fetchDictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows {
        DictionaryRows(try request.results(from: content().subjects(request.fetch).map { $0 as any PredicateSubject }))
    }

    /// Returns the rows with these keys, without those that the store does not have.
    public func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        try content().rows(of: entity, keys: keys)
    }

    /// Returns the rows at the other end of a relationship.
    public func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        try content().related(by: property, of: entity, sources: sources)
    }

    /// Returns the present content as a snapshot. It costs nothing until the next write.
    public func makeSnapshot() throws -> (any StoreSnapshot)? { try JSONFileSnapshot(of: self) }
}

/// Writing: both requests change a copy of the content, and the file replaces the old one.
extension JSONFileStore {
    /// Writes a save in one step, after the bytes of its assets.
    public func save(_ request: SaveChangesRequest) throws -> SaveResult {
        try write { content in
            // Bytes are kept before the rows that name them.
            try assets.write(request.assets)
            if !request.isEmpty { try content.save(request) }
            return SaveResult(transactionNumber: content.transactionNumber)
        }
    }

    /// Inserts, changes or deletes many rows, in one step.
    public func execute(_ request: StoreBatchRequest) throws -> StoreChanges {
        try write { try $0.execute(request, keep: assets.write) }
    }
}
