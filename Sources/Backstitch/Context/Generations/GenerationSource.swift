/// A snapshot as the source of a context's reads. Its rows are not shared with other contexts.
struct GenerationSource: RowReading, ReadingLayer {
    let coordinator: PersistentStoreCoordinator
    let snapshot: any StoreSnapshot

    var readingBase: any StoreReading { snapshot }

    func readingBase(for request: StoreFetchRequest) -> (any StoreReading)? {
        coordinator.store(for: request) == nil ? nil : snapshot
    }
}
