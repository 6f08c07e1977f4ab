/// Holds a snapshot, and lets go of it at the end.
final class GenerationPin: Sendable {
    let snapshot: any StoreSnapshot
    /// The coordinator of whose store it is a state, in terms of whose model it answers.
    let coordinator: PersistentStoreCoordinator

    init(_ snapshot: any StoreSnapshot, of coordinator: PersistentStoreCoordinator) {
        (self.snapshot, self.coordinator) = (snapshot, coordinator)
    }

    deinit { snapshot.close() }
}
