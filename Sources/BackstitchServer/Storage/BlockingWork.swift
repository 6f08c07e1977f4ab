import BackstitchSupport

/// Runs work that blocks (files, closing a database) on threads of its own, so that it holds up no other task.
enum BlockingWork {
    /// More than wait for files at a time; of those that come beyond, each waits for another's end.
    private static let threads = WorkerPool(name: "backstitch.server.files", limit: 64)

    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await threads.run(work)
    }
}
