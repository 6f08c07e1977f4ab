import BackstitchSupport

/// Runs blocking work (files, closing a database) on threads of its own, so other tasks can go on.
enum BlockingWork {
    /// At most 64 files are waited for at a time. Further work waits until a thread is free.
    private static let threads = WorkerPool(name: "backstitch.server.files", limit: 64)

    /// Runs `work` on one of these threads, and returns its value when it has ended.
    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await threads.run(work)
    }
}
