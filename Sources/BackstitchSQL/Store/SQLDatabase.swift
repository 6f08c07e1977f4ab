package import Backstitch
package import Foundation

/// The database of a store, as the shared requests of all SQL stores see it: connections and transactions.
///
/// Each call waits for a connection, and ends its use. Errors are of ``BackstitchError``, and name the store.
package protocol SQLDatabase: AnyObject, Sendable {
    associatedtype Connection: SQLConnection

    /// The name of the store in messages.
    var name: String { get }

    /// Runs `body`, which only reads. It may run again.
    ///
    /// - Parameter isSnapshot: Whether several statements must see one state. A single statement always does.
    func read<Result>(isSnapshot: Bool, _ body: (Connection) throws -> Result) throws -> Result

    /// Runs `body`, which reads with a single, frequently used statement. It may run again.
    func look<Result>(_ body: (Connection) throws -> Result) throws -> Result

    /// Runs `body`, which only reads, once and on one state of the database.
    func readOnce<Result>(_ body: (Connection) throws -> Result) throws -> Result

    /// Runs `body`, which only reads. A power cut cannot undo the state that it sees.
    func readDurably<Result>(_ body: (Connection) throws -> Result) throws -> Result

    /// Passes the rows of a query to `body` in batches. All are of one state, even if `body` or others write meanwhile.
    func forEachBatch(
        of statement: SQLStatement, entity: ResolvedEntity, size: Int, _ body: (RowBatch) throws -> Void) throws

    /// Runs `body` in a writing transaction. If it throws, its writes are undone.
    ///
    /// - Parameters:
    ///   - token: Identifies the transaction in history, for databases that need it to find out how the transaction
    ///     ended.
    ///   - mayRepeat: Whether `body` may run again after a conflict with others.
    ///   - number: Returns the transaction's number from the result of `body`; nil when it has no history.
    func write<Result>(
        token: ObjectKey?, mayRepeat: Bool, _ body: (Connection) throws -> Result, number: (Result) -> Int64?
    ) throws -> Result

    /// The number of transactions of this process that can write at the same time. If no other process writes, waiting
    /// transactions can share a commit.
    var writerCount: Int { get }

    /// The number of requests that can read at the same time.
    var readerCount: Int { get }

    /// Whether other processes may write at the same time. A transaction may then have to run again.
    var hasOtherWriters: Bool { get }

    /// Runs `body` in a writing transaction, and again, as a whole, if others caused its undoing. If it throws, its
    /// writes are undone. Unlike ``write(token:mayRepeat:_:number:)`` it leaves no trace in history.
    ///
    /// - Throws: ``TransactionFailure`` when it is unknown whether the transaction was committed, or when others
    ///   blocked it for too long; the error of `body`.
    func transact<Result>(_ body: (Connection) throws -> Result) throws -> Result

    /// Whether the same read may succeed later: the database was away, or others blocked the read for too long.
    func mayPass(_ error: any Error) -> Bool

    /// Whether the error of a write means that the disk is full.
    func isFull(_ error: any Error) -> Bool

    /// Makes a connection that already listens, in addition to those of requests; nil if processes cannot send each
    /// other texts. Blocks.
    ///
    /// - Parameter channel: The name of the channel. Processes with the same database and channel hear each other.
    func makeNotifier(channel: String) throws -> (any SQLNotifier)?

    /// Waits for requests to end, then closes all connections.
    func close() throws
}

extension SQLDatabase {
    /// One transaction writes at a time.
    package var writerCount: Int { 1 }

    /// A process that opens the database excludes others, or makes them wait.
    package var hasOtherWriters: Bool { false }

    /// A database in the process is never away.
    package func mayPass(_ error: any Error) -> Bool { false }

    /// A database in memory has no disk.
    package func isFull(_ error: any Error) -> Bool { false }

    /// Returns nil: a process has the database for itself, or looks for changes.
    package func makeNotifier(channel: String) throws -> (any SQLNotifier)? { nil }

    /// The usual number of connections.
    package var readerCount: Int { 8 }

    /// Runs the transaction once: no other process disturbs the writer, and a returned commit is certain.
    package func transact<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try write(token: nil, mayRepeat: false, body) { _ in nil }
    }

    /// Reads in the same way as any other read.
    package func look<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try read(isSnapshot: false, body)
    }

    /// Reads once: each commit is on the disk when it returns.
    package func readDurably<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try readOnce(body)
    }

    /// Runs `body` in a transaction without history. `body` must have the same effect if it runs several times.
    package func write(_ body: (Connection) throws -> Void) throws {
        try write(token: nil, mayRepeat: true, body) { _ in nil }
    }

    /// The identifier in the store's table.
    ///
    /// - Throws: ``BackstitchError/Code/storeFailure`` when the table has none.
    package func storeIdentifier() throws -> UUID {
        try read(isSnapshot: false) { try StoreTable.identifier(on: $0, store: name) }
    }
}
