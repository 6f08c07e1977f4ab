import BackstitchServer
import BackstitchSupport
import NIOCore

/// Runs a server's work on the calling thread: a world has one thread for everything.
struct InlineRunner: WorkRunner {
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value { try work() }

    func handle<Value: Sendable>(
        on threads: some TaskExecutor, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await body()
    }

    func read<Value: Sendable>(
        on threads: WorkerPool, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try work()
    }

    func write(on threads: WorkerPool, _ work: @escaping @Sendable () -> Void) { work() }

    func begin(_ work: @escaping @Sendable () async -> Void) async { await work() }

    /// Does nothing: answers are given without a connection.
    func settle(_ connection: any Channel) {}
}
