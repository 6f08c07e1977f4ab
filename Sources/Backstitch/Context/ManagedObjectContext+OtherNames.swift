// Calls of Core Data and SwiftData under their own names. The compiler names the call to use here.
extension ManagedObjectContext {
    /// Not needed: an object is in its context from the start.
    @available(
        *, unavailable, message: "a new object is in its context from the start: make it with Note(context: context)"
    )
    public func insert(_ object: ManagedObject) {}

    /// Core Data's name for ``fetch(_:)``.
    @available(*, unavailable, renamed: "fetch(_:)")
    public func execute<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] { [] }

    /// Core Data's name for ``fetch(_:)``.
    @available(*, unavailable, renamed: "fetch(_:)")
    public func execute(_ request: DictionaryFetchRequest) throws -> [FetchedRow] { [] }

    /// SwiftData's name for ``count(for:)``.
    @available(*, unavailable, renamed: "count(for:)")
    public func fetchCount<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> Int { 0 }

    /// SwiftData's name for ``fetchObjectIDs(_:)``.
    @available(*, unavailable, renamed: "fetchObjectIDs(_:)")
    public func fetchIdentifiers<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [ObjectID] { [] }

    /// SwiftData's name for a ``BatchDeleteRequest``.
    @available(
        *, unavailable, message: "delete many objects with execute(BatchDeleteRequest(…)), or one with delete(_:)"
    )
    public func delete<Object: ManagedObject>(model: Object.Type, where predicate: FetchPredicate? = nil) throws {}

    /// SwiftData's name for ``object(with:)``.
    @available(*, unavailable, renamed: "object(with:)")
    public func model(for id: ObjectID) -> ManagedObject? { nil }

    /// SwiftData's name for ``registeredObject(for:)``.
    @available(*, unavailable, renamed: "registeredObject(for:)")
    public func registeredModel(for id: ObjectID) -> ManagedObject? { nil }

    /// Belongs to the container: a context is used only on the thread of its work.
    @available(
        *, unavailable,
        message:
            "a context stays on its thread: call container.perform { context in … }, or use viewContext on the main actor"
    )
    public func perform(_ work: () -> Void) {}

    /// Not needed: a context is used only on the thread of its work.
    @available(
        *, unavailable,
        message:
            "a context stays on its thread, so just use it; for work on another thread call container.perform { context in … }"
    )
    public func performAndWait<Result>(_ work: () throws -> Result) rethrows -> Result { try work() }

    /// Not needed: all changes of a context until its save are one transaction.
    @available(*, unavailable, message: "a save is one transaction: change the objects, then call save()")
    public func transaction(_ work: () throws -> Void) throws {}

    /// Not needed: an object has its permanent identity from the start.
    @available(*, unavailable, message: "an objectID is permanent from the start; there are no temporary ones")
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws {}

    /// Core Data's name for ``coordinator``.
    @available(*, unavailable, renamed: "coordinator")
    public var persistentStoreCoordinator: PersistentStoreCoordinator? { nil }
}
