import BackstitchSupport

/// Threads of our own on which the work on requests is done: reading and writing JSON of megabytes takes long and never
/// waits, so on the cooperative pool, which has a thread for each core, it would keep everybody else from the smallest
/// step. Here the system divides the cores.
final class RequestThreads: TaskExecutor {
    private let pool: WorkerPool

    /// - Parameter count: As many as work at the same time, so that none waits for another.
    init(count: Int) { pool = WorkerPool(name: "request-work", limit: count) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.submit { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
