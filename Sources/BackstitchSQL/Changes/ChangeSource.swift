/// A database's way to notice that others have written to it. A ``ChangeFeed`` calls it, from one thread but for
/// ``wake()`` and ``announce()``.
package protocol ChangeSource: Sendable {
    /// Waits until others may have written, for as long as the source finds right. A call too many costs one query.
    func wait()

    /// Ends the wait, or the next one.
    func wake()

    /// Runs `body`, which reads history. Nobody need run it on one state: it asks for what lies below a number.
    func read<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result

    /// Has other processes told of a transaction of this one, where they do not notice by themselves.
    func announce()

    /// Writes down that a reading failed; the feed goes on.
    func note(_ error: any Error)

    /// Called once, when the feed has ended.
    func letGo()
}

extension ChangeSource {
    /// Others notice by themselves.
    package func announce() {}

    /// There is nothing to let go of.
    package func letGo() {}
}
