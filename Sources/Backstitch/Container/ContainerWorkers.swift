import BackstitchSupport
import Logging

/// The threads of a container: they run its closures until it is closed.
final class ContainerWorkers: Sendable {
    /// The log of the container and its contexts.
    let logger: Logger
    private let pool: WorkerPool
    /// Closures pass it from the call of `perform` to their end.
    private let gate = RequestGate()
    /// Tells of objects that are used after the end of their closure, once for each place.
    private let lateUses: OnceLog

    init(_ coordinator: PersistentStoreCoordinator, _ logger: Logger) {
        self.logger = logger
        lateUses = OnceLog(logger)
        pool = WorkerPool(name: "backstitch", limit: coordinator.content.withLock { $0.concurrency })
    }

    /// Where the work of a context begins, for messages.
    func origin(_ call: String, _ file: String, _ line: Int) -> ContextOrigin {
        ContextOrigin(call: call, file: file, line: line, lateUses: lateUses)
    }

    /// Runs `body` on a thread, and gives back what it returns.
    ///
    /// - Throws: ``BackstitchError/Code/storeClosed`` when the container is closed; what `body` throws.
    func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try enter()
        return try await pool.run { [self] in
            defer { gate.leave() }
            return try body()
        }
    }

    /// Lets one closure in, which the caller runs, and ends with ``leave()``.
    func enter() throws {
        guard gate.enter() else {
            throw BackstitchError(
                .storeClosed, "the container was closed, and takes no more work; open it again before using it")
        }
    }

    /// Ends a closure that was let in.
    func leave() { gate.leave() }

    /// Has `job` done on a thread, some time.
    func submit(_ job: @escaping @Sendable () -> Void) { pool.submit(job) }

    /// Refuses new closures, and waits some seconds for those under way, but not for one that the caller is itself.
    func close(within seconds: Double) {
        guard pool.isCaller else { return wait(seconds) }
        gate.leavingOut { wait(seconds) }
    }

    private func wait(_ seconds: Double) {
        gate.close(waiting: seconds)
        let count = gate.count
        guard count > 0 else { return }
        logger.warning(
            """
            the container was closed while closures of perform still ran; their next request throws storeClosed; give \
            close(within:) more seconds, or cancel what calls perform before
            """, metadata: ["closures": "\(count)", "seconds": "\(seconds)"])
    }
}
