import Dispatch

/// Runs work that blocks (files, closing a database) on threads of its own, so that it holds up no other task.
enum BlockingWork {
    private static let queue = DispatchQueue(label: "backstitch.server.files", attributes: .concurrent)

    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: work)) }
        }
    }
}
