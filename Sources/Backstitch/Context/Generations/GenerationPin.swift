/// Holds a snapshot, and closes it at the end of its own life.
final class GenerationPin: Sendable {
    let snapshot: any StoreSnapshot
    /// The coordinator of the snapshot's store. The snapshot answers in terms of this coordinator's model.
    let coordinator: PersistentStoreCoordinator

    init(_ snapshot: any StoreSnapshot, of coordinator: PersistentStoreCoordinator) {
        (self.snapshot, self.coordinator) = (snapshot, coordinator)
    }

    deinit { snapshot.close() }
}
