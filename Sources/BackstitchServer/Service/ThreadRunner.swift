import BackstitchSupport
import NIOCore

/// Runs a server's work on threads that may wait, so it does not delay other tasks.
struct ThreadRunner: WorkRunner {
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await BlockingWork.run(work)
    }

    func handle<Value: Sendable>(
        on threads: some TaskExecutor, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        // A child task begins on its executor. A preference of the present task would take effect only after its next
        // suspension.
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask(executorPreference: threads) { try await body() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }

    func read<Value: Sendable>(
        on threads: WorkerPool, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await threads.run(work)
    }

    func write(on threads: WorkerPool, _ work: @escaping @Sendable () -> Void) { threads.submit(work) }

    func begin(_ work: @escaping @Sendable () async -> Void) { Task.detached { await work() } }

    func settle(_ connection: any Channel) async throws { try await connection.eventLoop.submit {}.get() }
}
