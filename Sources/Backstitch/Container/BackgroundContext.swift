import BackstitchSupport

/// A long-lived context of a container. Its closures run on the container's threads.
///
/// ```swift
/// let importer = container.newBackgroundContext()
/// for chunk in chunks { try await importer.perform { context in … ; try context.save() } }
/// ```
/// Closures run one at a time, in the order of the calls. Unsaved changes stay for the next closure.
public final class BackgroundContext: Sendable {
    private struct Queue: Sendable {
        var jobs: [@Sendable () -> Void] = []
        var isRunning = false
    }

    // Only the queue's jobs touch it, and they run one at a time.
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

    // Unsaved objects and their context hold each other, so the context is closed here. No job runs now, because each
    // job holds this object.
    deinit { context.close() }

    /// Runs `work` with the context and returns its result.
    ///
    /// - Throws: ``BackstitchError/Code/storeClosed`` when the container is closed; `CancellationError` if the task was
    ///   cancelled before the call; errors of `work`.
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
