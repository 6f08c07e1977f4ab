/// A database's way to notice writes by others. A ``ChangeFeed`` calls it. All calls have one thread, except ``wake()``
/// and ``announce()``.
package protocol ChangeSource: Sendable {
    /// Waits until others may have written. The source decides how long. A needless return costs one query.
    func wait()

    /// Ends the wait, or the next one.
    func wake()

    /// Runs `body`, which reads history. The reads need no common snapshot, because `body` asks only for numbers below
    /// a limit.
    func read<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result

    /// Tells other processes about a transaction of this one, if they do not notice it by themselves.
    func announce()

    /// Logs that a read failed. The feed continues.
    func note(_ error: any Error)

    /// Releases resources; called once, after the end of the feed.
    func letGo()
}

extension ChangeSource {
    /// Does nothing: others notice the transaction by themselves.
    package func announce() {}

    /// Does nothing: the source has no resources to release.
    package func letGo() {}
}
