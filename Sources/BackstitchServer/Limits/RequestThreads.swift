import BackstitchSupport

/// Separate threads for the work on requests. Reading and writing JSON of megabytes takes long and never suspends. The
/// cooperative pool has one thread for each core, so there it would block all other tasks. Here the system divides the
/// cores.
final class RequestThreads: TaskExecutor {
    private let pool: WorkerPool

    /// - Parameter count: Most pieces of work at the same time, so none waits for another.
    init(count: Int) { pool = WorkerPool(name: "request-work", limit: count) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.submit { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
