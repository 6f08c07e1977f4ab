package import BackstitchSupport
package import NIOCore

/// The way a server's work is run. The configuration chooses it.
///
/// Either the work has threads of its own, or it runs at its caller. The latter is for a program with a single thread.
package protocol WorkRunner: Sendable {
    /// Runs work that blocks, like reading files, or opening and closing a database.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value

    /// Runs the work for an admitted request.
    ///
    /// - Parameter threads: The threads for such work.
    func handle<Value: Sendable>(
        on threads: some TaskExecutor, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value

    /// Reads from a storage.
    ///
    /// - Parameter threads: One thread for each possible concurrent read.
    func read<Value: Sendable>(
        on threads: WorkerPool, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value

    /// Gives work to a storage's writers. It may run before this call returns, or later.
    ///
    /// - Parameter threads: One thread for each possible concurrent write.
    func write(on threads: WorkerPool, _ work: @escaping @Sendable () -> Void)

    /// Begins work that no caller waits for. Without threads of its own it is done before this call returns.
    func begin(_ work: @escaping @Sendable () async -> Void) async

    /// Waits until the event loop of a connection has taken everything written so far.
    ///
    /// A writer waits as long as the connection has no room, but it learns of that only from the event loop.
    func settle(_ connection: any Channel) async throws
}
