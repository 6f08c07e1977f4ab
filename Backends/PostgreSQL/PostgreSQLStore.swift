public import Backstitch
package import BackstitchSQL
import BackstitchSupport
public import Foundation

/// A store in a PostgreSQL database, for servers: many processes may have it open at the same time.
///
/// ```swift
/// try PersistentContainer(
///     model: .notes,
///     store: .init(type: .postgreSQL, url: URL(string: "postgres://notes@db.example.org/notes?sslmode=verify-full")))
/// ```
/// The database's address is taken from the URL, the options, or the `PG*` environment, in this order. The store's
/// tables are in a schema of their own (``StoreOption/postgresSchema``). A missing schema is made, and the user need
/// not be a superuser.
///
/// Each save is one transaction, and readers see only whole saves. The rows' versions protect saves of several
/// processes: if two saves are based on the same row, the later one has a conflict. Numbers in history rise in the
/// order of commits. Saves by others are reported to the store's coordinator a moment later
/// (``StoreOption/postgresPollInterval``).
///
/// PostgreSQL cannot store U+0000 in text. A save with such a value is refused.
public final class PostgreSQLStore: PersistentStore {
    /// The type's name in store descriptions: `"PostgreSQL"`.
    public static let typeName = "PostgreSQL"

    /// The options that PostgreSQL stores accept.
    public static func optionSpecifications(for options: [StoreOption: any Sendable]) throws -> [OptionSpecification] {
        PostgreSQLOptions.specifications
    }

    /// Identifies the store's content. It is made together with the store.
    public let identifier: UUID

    /// A table of the store, or files if the options say so.
    public let assets: any AssetStorage

    /// Always true: other processes may write at any time, and their changes are reported a moment later.
    public var isWrittenByOthers: Bool { true }

    package let database: PostgreSQLDatabase
    let schema: String
    package let configuration: StoreConfiguration
    package let outbox: OutboxMark
    package let statements: ModelStatements
    private let options: PostgreSQLOptions
    private let locks = Locked<LockSession?>(nil)
    /// Reports other processes' changes; nil if the options switch it off.
    package let feed: ChangeFeed?

    /// Opens the store, and makes its schema and tables if they do not exist. If several processes do so at once, one
    /// makes them, and the others wait for it.
    ///
    /// - Throws: ``BackstitchError/Code/invalidOption`` when URL and options contradict each other;
    ///   ``BackstitchError/Code/storeNotFound`` when the server or the database is missing;
    ///   ``BackstitchError/Code/authentication`` when the user is refused; ``BackstitchError/Code/notADatabase`` when
    ///   the schema has tables of another program; ``BackstitchError/Code/modelMismatch`` for a store of another model;
    ///   ``BackstitchError/Code/newerFormat`` for a store of a newer version. In each of these cases the database is
    ///   unchanged.
    public init(_ configuration: StoreConfiguration) throws {
        self.configuration = configuration
        statements = ModelStatements(configuration, dialect: .postgreSQL)
        options = try PostgreSQLOptions(configuration)
        schema = options.schema
        let opener = try PostgreSQLOpener(configuration, options)
        database = try opener.open()
        identifier = try database.storeIdentifier()
        outbox = try OutboxMark(configuration, in: database)
        let all: any AssetStorage
        if let folder = options.assetDirectory {
            let url = URL(fileURLWithPath: folder, isDirectory: true)
            all = try AssetDirectory(url, isReadOnly: configuration.isReadOnly)
        } else {
            all = PostgreSQLAssets(database)
        }
        assets =
            configuration.isReadOnly ? ReadOnlyAssets(all, refusal: StoreConfiguration.isReadOnly(database.name)) : all
        // The feed's thread and connection end with the store, so no later step may fail.
        if options.pollInterval > 0 {
            feed = try ChangeFeed(
                PostgreSQLChangeSource(database.pool, options), of: database, handler: configuration.changeHandler)
        } else {
            feed = nil
        }
    }

    /// Closes the store when it is released.
    deinit {
        feed?.close()
        locks.withLock { $0 }?.close()
        database.pool.close()
    }

    /// Ends all work: waits for running requests, and closes the connections. A second call does nothing.
    public func close() throws {
        try database.close()
        feed?.close()
        locks.withLock { $0 }?.close()
    }

    /// A lock that all processes with the store open share, on a connection outside the pool. It is nil behind a pooler
    /// of transactions, because a session there does not belong to one client.
    public func makeLock(_ name: String, onLoss: @escaping @Sendable () -> Void) throws -> (any StoreLock)? {
        guard !options.usesTransactionPooling else { return nil }
        let session = try locks.withLock { session in
            let made = try session ?? LockSession(options, name: database.name)
            session = made
            return made
        }
        return session.lock(name, onLoss: onLoss)
    }
}
