public import Logging

/// A model and its open store: what a program starts with.
///
/// ```swift
/// let container = try PersistentContainer(model: .notes, store: .init(type: .sqlite, url: file))
/// let titles = try await container.perform { context in
///     try context.fetch(FetchRequest<Note>(sortedBy: [.ascending("title")])).map(\.title)
/// }
/// ```
public final class PersistentContainer: Sendable {
    /// The coordinator that the contexts of this container work on.
    public let coordinator: PersistentStoreCoordinator

    @MainActor private var openViewContext: ManagedObjectContext?
    private let workers: ContainerWorkers

    /// The context of the main actor, for user interfaces. It merges what others change by itself.
    @MainActor public var viewContext: ManagedObjectContext {
        if let context = openViewContext { return context }
        let context = makeViewContext()
        openViewContext = context
        return context
    }

    /// Checks model and options, and opens the store.
    ///
    /// - Throws: ``BackstitchError/Code/invalidModel`` and ``BackstitchError/Code/invalidOption`` with every fault,
    ///   ``BackstitchError/Code/unknownStoreType``, and what the store throws when it cannot be opened.
    public convenience init(
        model: ManagedObjectModel, store: PersistentStoreDescription, clock: any WallClock = SystemClock(),
        generator: ObjectIDGenerator = ObjectIDGenerator(), logger: Logger = Logger(label: "backstitch")
    ) throws {
        try self.init(model: model, stores: [store], clock: clock, generator: generator, logger: logger)
    }

    /// Checks model and options, and opens several stores; see ``PersistentStoreDescription/configuration`` for what
    /// each of them holds.
    ///
    /// - Throws: As ``init(model:store:clock:generator:logger:)``.
    public init(
        model: ManagedObjectModel, stores: [PersistentStoreDescription], clock: any WallClock = SystemClock(),
        generator: ObjectIDGenerator = ObjectIDGenerator(), logger: Logger = Logger(label: "backstitch")
    ) throws {
        coordinator = try PersistentStoreCoordinator(model: model, stores: stores, clock: clock, generator: generator)
        workers = ContainerWorkers(coordinator, logger)
    }

    /// Runs `work` with a new context, on a thread of the container, and gives back what it returns.
    ///
    /// The context and its objects end with the closure: return values, identities, or nothing. Changes that `work`
    /// does not save are dropped, and a warning is logged. `work` runs to its end also when the task is cancelled, so a
    /// save is whole or not at all; a task that is cancelled before `work` has begun throws `CancellationError`.
    ///
    /// As many closures run at the same time as the store serves requests; see ``StoreOption/maximumConcurrency``.
    ///
    /// - Parameters:
    ///   - author: The author of the changes, for history.
    ///   - file: The caller's file, for the log of objects that are used after the end of `work`.
    ///   - line: The line in it.
    /// - Throws: ``BackstitchError/Code/storeClosed`` when the container is closed; what `work` throws.
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

    /// A context that lives on: its closures run one after the other, and it merges what others change.
    public func newBackgroundContext(file: String = #fileID, line: Int = #line) -> BackgroundContext {
        BackgroundContext(
            coordinator: coordinator, workers: workers, origin: workers.origin("newBackgroundContext", file, line))
    }

    /// Closes the store, after the closures of `perform` that are under way, or after some seconds.
    ///
    /// New work is refused at once: it throws ``BackstitchError/Code/storeClosed``. Closures that run longer than
    /// `seconds` are logged, and go on; their next request throws the same. Called by such a closure itself, it waits
    /// for the others.
    ///
    /// The caller's thread waits meanwhile. A second call closes the store without waiting.
    ///
    /// - Parameter seconds: How long to wait for closures at most; 0 for not at all.
    /// - Throws: What the store throws while it ends its work.
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
    /// Ends a context whose work is done.
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
