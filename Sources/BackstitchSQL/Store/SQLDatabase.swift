package import Backstitch
package import Foundation

/// The database of a store, as the requests that all SQL stores share see it: connections and transactions.
///
/// Each call waits for a connection and ends with it. Errors come out as a ``BackstitchError`` that names the store.
package protocol SQLDatabase: AnyObject, Sendable {
    associatedtype Connection: SQLConnection

    /// The name of the store in messages.
    var name: String { get }

    /// Runs `body`, which only reads and may be run again.
    ///
    /// - Parameter isSnapshot: Whether several statements shall see one state. A single one sees one anyway.
    func read<Result>(isSnapshot: Bool, _ body: (Connection) throws -> Result) throws -> Result

    /// Runs `body`, which reads by one statement of those that come again and again. It may be run again.
    func look<Result>(_ body: (Connection) throws -> Result) throws -> Result

    /// Runs `body`, which only reads, once and on one state of the database.
    func readOnce<Result>(_ body: (Connection) throws -> Result) throws -> Result

    /// Runs `body`, which reads, on a state that no power cut takes back any more.
    func readDurably<Result>(_ body: (Connection) throws -> Result) throws -> Result

    /// Gives the rows of a query in batches, all of one state, whatever is written meanwhile, also by `body`.
    func forEachBatch(
        of statement: SQLStatement, entity: ResolvedEntity, size: Int, _ body: (RowBatch) throws -> Void) throws

    /// Runs `body` in a transaction that writes; if it throws, nothing of it remains.
    ///
    /// - Parameters:
    ///   - token: Names the transaction in history, where a database needs that to find out how it ended.
    ///   - mayRepeat: Whether `body` may be run again, when others got into its way.
    ///   - number: The transaction's number in what `body` gave; nil when it has no history.
    func write<Result>(
        token: ObjectKey?, mayRepeat: Bool, _ body: (Connection) throws -> Result, number: (Result) -> Int64?
    ) throws -> Result

    /// How many transactions of this process can write at the same time. Where nobody else writes either, those that
    /// wait together may as well share a commit.
    var writerCount: Int { get }

    /// How many requests can read at the same time.
    var readerCount: Int { get }

    /// Whether other processes may write to it at the same time, so that a transaction may have to be run again.
    var hasOtherWriters: Bool { get }

    /// Runs `body` in a transaction that writes, and again, whole, if it was undone because of others; if it throws,
    /// nothing of it remains. Unlike those of ``write(token:mayRepeat:_:number:)`` it leaves no trace in history.
    ///
    /// - Throws: ``TransactionFailure`` when nobody knows whether it was committed, or when others were in the way for
    ///   too long; what `body` throws.
    func transact<Result>(_ body: (Connection) throws -> Result) throws -> Result

    /// Whether an error of a read says that the database was away, or that others were in the way for too long: the
    /// same read may succeed later.
    func mayPass(_ error: any Error) -> Bool

    /// Whether an error of a write says that the disk has no room for it.
    func isFull(_ error: any Error) -> Bool

    /// A connection that listens already, besides those of requests; nil where processes cannot tell each other
    /// anything. Blocks.
    ///
    /// - Parameter channel: Those hear each other who share the database and name the same.
    func makeNotifier(channel: String) throws -> (any SQLNotifier)?

    /// Waits for requests to end, then closes all connections.
    func close() throws
}

extension SQLDatabase {
    /// One writes at a time.
    package var writerCount: Int { 1 }

    /// A process that opens it keeps others out, or makes them wait.
    package var hasOtherWriters: Bool { false }

    /// A database in the process is not away.
    package func mayPass(_ error: any Error) -> Bool { false }

    /// A database in memory has no disk.
    package func isFull(_ error: any Error) -> Bool { false }

    /// A process has the database for itself, or looks.
    package func makeNotifier(channel: String) throws -> (any SQLNotifier)? { nil }

    /// As many as connections are usual.
    package var readerCount: Int { 8 }

    /// Nobody gets into the way of the one that writes, and a commit that returns is one.
    package func transact<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try write(token: nil, mayRepeat: false, body) { _ in nil }
    }

    /// As any other reading.
    package func look<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try read(isSnapshot: false, body)
    }

    /// Each commit is on the disk when it ends.
    package func readDurably<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try readOnce(body)
    }

    /// Runs `body`, which has the same effect however often it is run, in a transaction without history.
    package func write(_ body: (Connection) throws -> Void) throws {
        try write(token: nil, mayRepeat: true, body) { _ in nil }
    }

    /// The identifier that the store keeps.
    package func storeIdentifier() throws -> UUID {
        var text: String?
        try read(isSnapshot: false) { connection in
            let query = SQLStatement(connection.dialect, StoreTable.query(for: .identifier))
            try connection.forEachRow(of: query) { text = $0.text(0) }
        }
        guard let identifier = text.flatMap({ UUID(uuidString: $0) }) else {
            throw BackstitchError(
                .storeFailure, "\(name) is damaged: its identifier is gone; restore it from a backup")
        }
        return identifier
    }
}
