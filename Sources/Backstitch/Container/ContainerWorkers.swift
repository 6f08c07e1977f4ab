import BackstitchSupport
import Logging

/// The threads of a container. They run its closures until it is closed.
final class ContainerWorkers: Sendable {
    /// The log of the container and its contexts.
    let logger: Logger
    private let pool: WorkerPool
    /// Counts the closures that are under way: each enters at the call of `perform` and leaves at its end.
    private let gate = RequestGate()
    /// Logs a use of objects after the end of their closure, once for each place.
    private let lateUses: OnceLog

    init(_ coordinator: PersistentStoreCoordinator, _ logger: Logger) {
        self.logger = logger
        lateUses = OnceLog(logger)
        pool = WorkerPool(name: "backstitch", limit: coordinator.content.withLock { $0.concurrency })
    }

    /// Returns the place in the program at which a context's work begins, for messages.
    func origin(_ call: String, _ file: String, _ line: Int) -> ContextOrigin {
        ContextOrigin(call: call, file: file, line: line, lateUses: lateUses)
    }

    /// Runs `body` on a thread and returns its result.
    ///
    /// - Throws: ``BackstitchError/Code/storeClosed`` when the container is closed; errors of `body`.
    func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try enter()
        return try await pool.run { [self] in
            defer { gate.leave() }
            return try body()
        }
    }

    /// Admits one closure. The caller runs the closure and calls ``leave()`` at its end.
    func enter() throws {
        guard gate.enter() else {
            throw BackstitchError(
                .storeClosed, "the container was closed, and takes no more work; open it again before using it")
        }
    }

    /// Ends a closure that ``enter()`` admitted.
    func leave() { gate.leave() }

    /// Queues `job` for a thread of the pool.
    func submit(_ job: @escaping @Sendable () -> Void) { pool.submit(job) }

    /// Refuses new closures and waits up to `seconds` for those under way. If the caller is itself such a closure, it
    /// is left out.
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
            close(within:) more seconds, or cancel the calls of perform before
            """, metadata: ["closures": "\(count)", "seconds": "\(seconds)"])
    }
}
