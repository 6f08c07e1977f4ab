// Calls of Core Data and SwiftData under their own names. The compiler names the call to use here.
extension PersistentContainer {
    /// Not needed: the initialiser opens the stores.
    @available(*, unavailable, message: "PersistentContainer(model:store:) opens the store, and throws what is wrong")
    public func loadPersistentStores(completionHandler: (PersistentStoreDescription, (any Error)?) -> Void) {}

    /// Core Data's name for ``perform(author:file:line:_:)``.
    @available(*, unavailable, message: "call try await container.perform { context in … }")
    public func performBackgroundTask(_ work: (ManagedObjectContext) -> Void) {}

    /// SwiftData's name for ``viewContext``.
    @available(*, unavailable, renamed: "viewContext")
    public var mainContext: ManagedObjectContext? { nil }

    /// Core Data's name for ``coordinator``.
    @available(*, unavailable, renamed: "coordinator")
    public var persistentStoreCoordinator: PersistentStoreCoordinator { coordinator }

    /// Core Data's name for the model of ``coordinator``.
    @available(*, unavailable, renamed: "coordinator.model")
    public var managedObjectModel: ResolvedModel { coordinator.model }
}
