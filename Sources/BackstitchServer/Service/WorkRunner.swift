package import GRDB
package import Hummingbird

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

    /// Reads one snapshot.
    func read<Value: Sendable>(
        _ database: any DatabaseWriter, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value

    /// Hands work to the one writer; it may be done before this returns, or later.
    func write(_ database: any DatabaseWriter, _ work: @escaping @Sendable (Database) -> Void)

    /// Part of a file, to be sent.
    ///
    /// - Throws: `HTTPError` with the status 404 when there is no such file.
    func content(
        of file: String, _ range: ClosedRange<Int>, _ context: some RequestContext
    ) async throws -> ResponseBody
}
