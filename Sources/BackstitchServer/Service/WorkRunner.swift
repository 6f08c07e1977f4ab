package import BackstitchSupport
package import NIOCore

/// The place where a server's work is done, which is a matter of its configuration: on threads of their own, or where
/// the caller is, for a program that has one thread for everything.
package protocol WorkRunner: Sendable {
    /// Does work that blocks: files, opening and closing.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value

    /// Does the work on a request that has been let in.
    ///
    /// - Parameter threads: Threads that are there for such work.
    func handle<Value: Sendable>(
        on threads: some TaskExecutor, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value

    /// Reads from a storage.
    ///
    /// - Parameter threads: As many as can read at the same time.
    func read<Value: Sendable>(
        on threads: WorkerPool, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value

    /// Hands work to a storage's writers; it may be done before this returns, or later.
    ///
    /// - Parameter threads: As many as can write at the same time.
    func write(on threads: WorkerPool, _ work: @escaping @Sendable () -> Void)

    /// Waits until the event loop of a connection has taken all that was written to it: a writer waits while there is
    /// no room for more, but knows that only from then on.
    func settle(_ connection: any Channel) async throws
}
