import BackstitchSupport
import Testing

@testable import Backstitch

/// Stores that come and go while others write.
@Suite("the stores of a coordinator")
struct CoordinatorContentTests {
    private let coordinator: PersistentStoreCoordinator

    init() throws {
        StoreRegistry.register(RecordingStore.self)
        let description = PersistentStoreDescription(type: StoreType(rawValue: RecordingStore.typeName))
        coordinator = try PersistentStoreCoordinator(
            model: StoreRequests.model, stores: [description, description, description])
    }

    private var writes: Int { coordinator.content.withLock { $0.writes } }

    @Test("a write that is under way is counted on when a store is removed, so that a move waits for it")
    func writesUnderWay() throws {
        let stores = coordinator.stores
        try coordinator.writing { _ in
            try coordinator.remove(stores[2])
            #expect(writes == 1)
        }
        #expect(writes == 0)
        #expect(coordinator.stores.count == 2)
    }

    @Test("while a store is being moved no other is removed, and nobody writes")
    func moving() throws {
        let stores = coordinator.stores
        coordinator.content.withLock { $0.isMoving = true }
        let error = #expect(throws: BackstitchError.self) { try coordinator.remove(stores[2]) }
        #expect(error?.code == .invalidRequest)
        #expect(throws: BackstitchError.self) { try coordinator.writing { _ in } }
        coordinator.content.withLock { $0.isMoving = false }
        try coordinator.remove(stores[2])
        #expect(coordinator.stores.count == 2)
    }
}
