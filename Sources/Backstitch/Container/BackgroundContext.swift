import BackstitchSupport

/// A context that lives on beyond one closure, on a thread of its container.
///
/// ```swift
/// let importer = container.newBackgroundContext()
/// for chunk in chunks { try await importer.perform { context in … ; try context.save() } }
/// ```
/// Closures run one at a time, in the order of the calls. Unsaved changes stay for the next one.
public final class BackgroundContext: Sendable {
    private struct Queue: Sendable {
        var jobs: [@Sendable () -> Void] = []
        var isRunning = false
    }

    // Only touched by jobs of the queue, of which one runs at a time.
    nonisolated(unsafe) private let context: ManagedObjectContext
    private let workers: ContainerWorkers
    private let queue = Locked(Queue())

    init(coordinator: PersistentStoreCoordinator, workers: ContainerWorkers, origin: ContextOrigin) {
        let mailbox = ChangeMailbox()
        context = ManagedObjectContext(
            coordinator: coordinator, mailbox: mailbox, logger: workers.logger, origin: origin)
        coordinator.addListener(mailbox)
        self.workers = workers
    }

    // Unsaved objects and their context hold each other. No job runs any more: each holds the queue.
    deinit { context.close() }

    /// Runs `work` with the context and gives back what it returns.
    ///
    /// - Throws: ``BackstitchError/Code/storeClosed`` when the container is closed; `CancellationError` for a task that
    ///   was cancelled before; what `work` throws.
    public func perform<Result: Sendable>(
        _ work: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        try workers.enter()
        return try await withCheckedThrowingContinuation { continuation in
            enqueue { [self] in
                defer { workers.leave() }
                continuation.resume(
                    with: Swift.Result {
                        context.followParent()
                        return try work(context)
                    })
            }
        }
    }

    private func enqueue(_ job: @escaping @Sendable () -> Void) {
        let starts = queue.withLock { queue in
            queue.jobs.append(job)
            defer { queue.isRunning = true }
            return !queue.isRunning
        }
        if starts { workers.submit { [self] in runJobs() } }
    }

    private func runJobs() {
        while let job = nextJob() { job() }
    }

    private func nextJob() -> (@Sendable () -> Void)? {
        queue.withLock { queue in
            guard !queue.jobs.isEmpty else {
                queue.isRunning = false
                return nil
            }
            return queue.jobs.removeFirst()
        }
    }
}
