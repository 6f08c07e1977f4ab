import Testing

@testable import Backstitch

/// The layers between a context and its store.
@Suite("sources of contexts")
struct ContextSourceTests {
    private let requests: StoreRequests
    private let coordinator: PersistentStoreCoordinator
    private let log: RequestLog

    init() throws {
        StoreRegistry.register(RecordingStore.self)
        coordinator = try PersistentStoreCoordinator(
            model: StoreRequests.model, store: .init(type: StoreType(rawValue: RecordingStore.typeName)))
        log = try #require(coordinator.store as? RecordingStore).log
        requests = try StoreRequests(coordinator.model)
        _ = log.take()
    }

    @Test("each request of a context reaches the store's own", arguments: [false, true])
    func coordinator(isFresh: Bool) throws {
        let source = CoordinatorSource(coordinator, isFresh: isFresh)
        try requests.read(source, log, prefix: "")
        _ = try source.snapshots(of: requests.entity, keys: [requests.key])
        #expect(log.take() == ["rows"])
        _ = try source.snapshot(of: requests.entity, key: requests.key)
        #expect(log.take() == ["rows"])
    }

    @Test("a context that is pinned reads the snapshot")
    func generation() throws {
        let context = ManagedObjectContext(coordinator: coordinator)
        try context.setQueryGeneration(from: .current)
        let source = try context.reading()
        _ = log.take()
        try requests.read(source, log, prefix: "snapshot ")
        _ = try source.snapshots(of: requests.entity, keys: [requests.key])
        #expect(log.take() == ["snapshot rows"])
    }

    @Test("a request that names other stores reaches none, and there are no rows", arguments: [false, true])
    func otherStores(isPinned: Bool) throws {
        let context = ManagedObjectContext(coordinator: coordinator)
        if isPinned { try context.setQueryGeneration(from: .current) }
        let source = try context.reading()
        var request = requests.fetch
        request.affectedStores = []
        _ = log.take()
        #expect(try source.fetch(request).count == 0)
        #expect(try source.fetchKeys(request) == [])
        #expect(try source.count(request) == 0)
        try source.forEachBatch(request, size: 10) { _ in Issue.record("a batch of no rows") }
        #expect(log.take().allSatisfy { $0 == "identifier" })
    }

    @Test("a child context asks the store for values")
    func child() throws {
        let context = ManagedObjectContext(parent: ManagedObjectContext(coordinator: coordinator))
        _ = log.take()
        #expect(try context.reading().fetchDictionaries(requests.dictionaries).count == 1)
        #expect(log.take() == ["fetchDictionaries"])
    }
}
