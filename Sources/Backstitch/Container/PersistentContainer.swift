public import Logging

/// A model and its open store. A program starts by making one.
///
/// ```swift
/// let container = try PersistentContainer(model: .notes, store: .init(type: .sqlite, url: file))
/// let titles = try await container.perform { context in
///     try context.fetch(FetchRequest<Note>(sortedBy: [.ascending("title")])).map(\.title)
/// }
/// ```
public final class PersistentContainer: Sendable {
    /// The coordinator of this container's contexts.
    public let coordinator: PersistentStoreCoordinator

    @MainActor private var openViewContext: ManagedObjectContext?
    private let workers: ContainerWorkers

    /// The context of the main actor, for user interfaces. It merges changes made elsewhere by itself.
    @MainActor public var viewContext: ManagedObjectContext {
        if let context = openViewContext { return context }
        let context = makeViewContext()
        openViewContext = context
        return context
    }

    /// Checks the model and the options, and opens the store.
    ///
    /// - Throws: ``BackstitchError/Code/invalidModel`` and ``BackstitchError/Code/invalidOption``, each with every
    ///   fault; ``BackstitchError/Code/unknownStoreType``; errors of the store when it cannot be opened.
    public convenience init(
        model: ManagedObjectModel, store: PersistentStoreDescription, clock: any WallClock = SystemClock(),
        generator: ObjectIDGenerator = ObjectIDGenerator(), logger: Logger = Logger(label: "backstitch")
    ) throws {
        try self.init(model: model, stores: [store], clock: clock, generator: generator, logger: logger)
    }

    /// Checks the model and the options, and opens several stores. The content of each store is described at
    /// ``PersistentStoreDescription/configuration``.
    ///
    /// - Throws: As ``init(model:store:clock:generator:logger:)``.
    public init(
        model: ManagedObjectModel, stores: [PersistentStoreDescription], clock: any WallClock = SystemClock(),
        generator: ObjectIDGenerator = ObjectIDGenerator(), logger: Logger = Logger(label: "backstitch")
    ) throws {
        coordinator = try PersistentStoreCoordinator(model: model, stores: stores, clock: clock, generator: generator)
        workers = ContainerWorkers(coordinator, logger)
    }

    /// Runs `work` with a new context, on a thread of the container, and returns its result.
    ///
    /// The context and its objects end with the closure: return values, identities, or nothing. Unsaved changes of
    /// `work` are dropped, and a warning is logged. If the task is cancelled, `work` still runs to its end, so a save
    /// is whole or not made at all. A task that is cancelled before `work` begins throws `CancellationError`.
    ///
    /// As many closures run at the same time as the store serves requests, unless ``StoreOption/maximumConcurrency``
    /// sets another number.
    ///
    /// - Parameters:
    ///   - author: The author of the changes, for history.
    ///   - file: The caller's file, for the log of objects used after the end of `work`.
    ///   - line: The line in `file`.
    /// - Throws: ``BackstitchError/Code/storeClosed`` when the container is closed; errors of `work`.
    public func perform<Result: Sendable>(
        author: String? = nil, file: String = #fileID, line: Int = #line,
        _ work: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let origin = workers.origin("perform", file, line)
        return try await workers.run { [coordinator, workers] in
            let context = ManagedObjectContext(
                coordinator: coordinator, mailbox: ChangeMailbox(), logger: workers.logger, origin: origin)
            context.transactionAuthor = author
            defer { context.end(workers.logger) }
            return try work(context)
        }
    }

    /// Returns a long-lived context. Its closures run one after the other, and it merges changes made elsewhere.
    public func newBackgroundContext(file: String = #fileID, line: Int = #line) -> BackgroundContext {
        BackgroundContext(
            coordinator: coordinator, workers: workers, origin: workers.origin("newBackgroundContext", file, line))
    }

    /// Closes the store, after the running closures of `perform` have ended or after `seconds`.
    ///
    /// New work is refused at once: it throws ``BackstitchError/Code/storeClosed``. Closures that run longer than
    /// `seconds` are logged, and go on; their next request throws the same error. If such a closure calls this method,
    /// it waits for the other closures only.
    ///
    /// The caller's thread waits meanwhile. A second call closes the store without waiting.
    ///
    /// - Parameter seconds: The longest wait for closures; 0 for no wait.
    /// - Throws: Errors of the store while it ends its work.
    public func close(within seconds: Double = 10) throws {
        workers.close(within: seconds)
        try coordinator.close()
    }

    @MainActor
    private func makeViewContext() -> ManagedObjectContext {
        let mailbox = ChangeMailbox { [weak self] in
            Task { @MainActor in
                self?.viewContext.followParent()
                self?.viewContext.processPendingChanges()
            }
        }
        let context = ManagedObjectContext(coordinator: coordinator, mailbox: mailbox, logger: workers.logger)
        context.name = "viewContext"
        context.notifier.scheduleProcessing = { [weak self] in
            Task { @MainActor in self?.viewContext.processPendingChanges() }
        }
        coordinator.addListener(mailbox)
        return context
    }
}

extension ManagedObjectContext {
    /// Closes a context after its closure, and warns of unsaved changes.
    fileprivate func end(_ logger: Logger) {
        if hasChanges, !didSaveFail {
            logger.warning(
                "a perform closure ended with unsaved changes, which are dropped; call save() in it",
                metadata: [
                    "inserted": "\(unsaved.inserted.count)", "updated": "\(unsaved.updated.count)",
                    "deleted": "\(unsaved.deleted.objects.count)",
                ])
        }
        close()
    }
}
