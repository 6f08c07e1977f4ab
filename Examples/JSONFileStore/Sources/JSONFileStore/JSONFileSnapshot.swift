import Backstitch
import Synchronization

/// The content of the store at one moment. Values are copied on write, so a snapshot only holds the value.
final class JSONFileSnapshot: StoreSnapshot {
    private let state: Mutex<StoreContent?>

    private let store: JSONFileStore

    init(of store: JSONFileStore) throws {
        self.store = store
        state = Mutex(try store.pinnedContent())
    }

    deinit { close() }

    func close() {
        let wasOpen = state.withLock { state in
            defer { state = nil }
            return state != nil
        }
        if wasOpen { store.unpin() }
    }

    func fetch(_ request: StoreFetchRequest) throws -> RowBatch { try content().fetch(request) }

    func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] { try content().subjects(request).map(\.key) }

    func fetchDictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows {
        DictionaryRows(try request.results(from: content().subjects(request.fetch).map { $0 as any PredicateSubject }))
    }

    func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        try content().rows(of: entity, keys: keys)
    }

    func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        try content().related(by: property, of: entity, sources: sources)
    }

    private func content() throws -> StoreContent {
        guard let content = state.withLock({ $0 }) else { throw JSONFileStore.closed("the snapshot") }
        return content
    }
}
