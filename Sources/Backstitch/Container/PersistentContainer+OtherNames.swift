// Calls that Core Data and SwiftData have and this container has not: the compiler names the right one.
extension PersistentContainer {
    /// Not needed: the initialiser opens the stores.
    @available(*, unavailable, message: "PersistentContainer(model:store:) opens the store, and throws what is wrong")
    public func loadPersistentStores(completionHandler: (PersistentStoreDescription, (any Error)?) -> Void) {}

    /// Called ``perform(author:file:line:_:)`` here.
    @available(*, unavailable, message: "call try await container.perform { context in … }")
    public func performBackgroundTask(_ work: (ManagedObjectContext) -> Void) {}

    /// Called ``viewContext`` here.
    @available(*, unavailable, renamed: "viewContext")
    public var mainContext: ManagedObjectContext? { nil }

    /// Called ``coordinator`` here.
    @available(*, unavailable, renamed: "coordinator")
    public var persistentStoreCoordinator: PersistentStoreCoordinator { coordinator }

    /// The coordinator's model.
    @available(*, unavailable, renamed: "coordinator.model")
    public var managedObjectModel: ResolvedModel { coordinator.model }
}
