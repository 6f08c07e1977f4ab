public import Backstitch
public import Foundation

extension SyncStore {
    /// Names the wrapped store's content.
    public var identifier: UUID { backing.identifier }

    /// The wrapped store as it is now.
    public func makeSnapshot() throws -> (any StoreSnapshot)? { try backing.makeSnapshot() }

    /// The wrapped store: its history is that of this one.
    public var journal: (any JournalingStore)? { backing }

    /// Where the wrapped store keeps bytes outside its rows.
    public var assets: any AssetStorage {
        options.isReadOnly ? ReadOnlyAssets(backing.assets, refusal: options.readOnlyError) : backing.assets
    }

    /// Has the wrapped store let go of bytes that nothing names.
    public func collectAssets() throws -> Int { try backing.collectAssets() }

    /// The rows that a request asks for, from the wrapped store.
    public func fetch(_ request: StoreFetchRequest) throws -> RowBatch { try backing.fetch(request) }

    /// Gives the rows that a request asks for in batches, from the wrapped store.
    public func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        try backing.forEachBatch(request, size: size, body)
    }

    /// The keys of the rows that a request asks for, from the wrapped store.
    public func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] { try backing.fetchKeys(request) }

    /// How many rows a request would give, from the wrapped store.
    public func count(_ request: StoreFetchRequest) throws -> Int { try backing.count(request) }

    /// The rows of values that a request asks for, from the wrapped store.
    public func fetchDictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows {
        try backing.fetchDictionaries(request)
    }

    /// The rows with these keys, from the wrapped store.
    public func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        try backing.rows(of: entity, keys: keys)
    }

    /// The rows that a relationship leads to, from the wrapped store.
    public func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        try backing.related(by: property, of: entity, sources: sources)
    }
}
