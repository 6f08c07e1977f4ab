public import Backstitch
package import BackstitchSQL
import BackstitchSupport
public import Foundation

/// A store in a PostgreSQL database, for servers: many processes may have it open at once.
///
/// ```swift
/// try PersistentContainer(
///     model: .notes,
///     store: .init(type: .postgreSQL, url: URL(string: "postgres://notes@db.example.org/notes?sslmode=verify-full")))
/// ```
/// Where the database is say the URL, the options, or the `PG*` environment, in this order. The store's tables are in a
/// schema of their own (``StoreOption/postgresSchema``), which is made when it is missing; the user need not be a
/// superuser.
///
/// Each save is one transaction, and readers see whole saves only. Saves of several processes meet by the rows'
/// versions: the later one of two that were made from the same row has a conflict. Numbers in history rise in the order
/// of commits. The store's coordinator is told a moment later what others save (``StoreOption/postgresPollInterval``).
///
/// PostgreSQL stores no U+0000 in text: such a value is refused when it is saved.
public final class PostgreSQLStore: PersistentStore {
    /// `"PostgreSQL"`.
    public static let typeName = "PostgreSQL"

    /// The options of PostgreSQL stores.
    public static func optionSpecifications(for options: [StoreOption: any Sendable]) throws -> [OptionSpecification] {
        PostgreSQLOptions.specifications
    }

    /// Names the store's content; made when it is created.
    public let identifier: UUID

    /// A table of the store, or files where the options say so.
    public let assets: any AssetStorage

    /// Always: notifications of what others save come a moment later.
    public var isWrittenByOthers: Bool { true }

    package let database: PostgreSQLDatabase
    let schema: String
    package let configuration: StoreConfiguration
    package let outbox: OutboxMark
    package let statements: ModelStatements
    private let options: PostgreSQLOptions
    private let locks = Locked<LockSession?>(nil)
    /// Tells of other processes' changes; nil when the options say so.
    package let feed: ChangeFeed?

    /// Opens the store, and makes its schema and tables where there are none yet. Of several processes that do so at
    /// once one makes them, and the others wait for it.
    ///
    /// - Throws: ``BackstitchError/Code/invalidOption`` when URL and options do not fit,
    ///   ``BackstitchError/Code/storeNotFound`` when server or database is not there,
    ///   ``BackstitchError/Code/authentication`` when the user is not let in, ``BackstitchError/Code/notADatabase``
    ///   when the schema has tables of another program, ``BackstitchError/Code/modelMismatch`` for a store of another
    ///   model, ``BackstitchError/Code/newerFormat`` for one that a newer version wrote; in each case nothing in the
    ///   database has changed.
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
        // Its thread and connection end with the store, so nothing may fail behind it.
        if options.pollInterval > 0 {
            feed = try ChangeFeed(
                PostgreSQLChangeSource(database.pool, options), of: database, handler: configuration.changeHandler)
        } else {
            feed = nil
        }
    }

    /// Closes the store when it is let go.
    deinit {
        feed?.close()
        locks.withLock { $0 }?.close()
        database.pool.close()
    }

    /// Ends all work: waits for requests that are under way, and closes the connections. A second call does nothing.
    public func close() throws {
        try database.close()
        feed?.close()
        locks.withLock { $0 }?.close()
    }

    /// A lock that all who have the store open share, on a connection beside the pool. Behind a pooler of transactions
    /// there is none: no session there is one's own.
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
