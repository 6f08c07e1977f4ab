public import Backstitch
package import BackstitchSQL
import BackstitchSupport
public import Foundation
import GRDB

/// A store in a SQLite file, or in memory when its URL is nil.
///
/// One connection writes while others read, so readers never wait for a save, and see whole saves only. The file,
/// SQLite's log beside it and the folder of assets (`NAME-assets`) can be read by their owner alone.
///
/// ```swift
/// try PersistentContainer(model: .notes, store: .init(type: .sqlite, url: file))
/// ```
/// Options: ``StoreOption/sqliteSynchronous``, ``StoreOption/sqliteMaximumReaderCount``,
/// ``StoreOption/sqliteBusyTimeout``, ``StoreOption/sqliteCacheSize``.
///
/// Doubles are kept bit for bit: -0.0, the infinities, and NaN with its payload, which sorts after all numbers.
public final class SQLiteStore: PersistentStore {
    /// `"SQLite"`.
    public static let typeName = "SQLite"

    /// The options of SQLite stores.
    public static func optionSpecifications(for options: [StoreOption: any Sendable]) throws -> [OptionSpecification] {
        SQLiteOptions.specifications
    }

    /// Names the store's content; made when it is created.
    public let identifier: UUID

    /// Files beside the store's, or memory for a store in memory.
    public let assets: any AssetStorage

    /// The same, with what collects them.
    package let content: (any CollectedAssets)?
    package let database: SQLiteDatabase
    package let configuration: StoreConfiguration
    package let outbox: OutboxMark
    package let statements: ModelStatements
    /// Nil for a store in memory, and once it is closed.
    private let presence = Locked<FilePresence?>(nil)
    /// Tells of other processes' changes; nil for a store in memory, and when the options say so.
    package let feed: ChangeFeed?

    /// Opens the store in the file at the configuration's URL, and makes file and folder where they are missing; a
    /// store in memory when the URL is nil.
    ///
    /// - Throws: ``BackstitchError/Code/notADatabase`` for a file that is no database or another program's,
    ///   ``BackstitchError/Code/modelMismatch`` for one of another model, ``BackstitchError/Code/newerFormat`` for one
    ///   that a newer version wrote; in each case not a byte of it has changed. ``BackstitchError/Code/invalidModel``
    ///   when the names of entities cannot be those of tables, ``BackstitchError/Code/readOnly`` and
    ///   ``BackstitchError/Code/storeFailure`` when the system refuses.
    public init(_ configuration: StoreConfiguration) throws {
        self.configuration = configuration
        statements = ModelStatements(configuration, dialect: .sqlite)
        let opener = try SQLiteOpener(configuration)
        if let url = configuration.url {
            let file = try SQLiteFile(url)
            presence.withLock { $0 = FilePresence(file) }
            database = try opener.open(file)
            identifier = try database.storeIdentifier()
            let folder = try AssetDirectory(file.assets, of: identifier, isReadOnly: configuration.isReadOnly)
            content = folder
            assets =
                configuration.isReadOnly
                ? ReadOnlyAssets(folder, refusal: StoreConfiguration.isReadOnly(file.path)) : folder
            outbox = try OutboxMark(configuration, in: database)
            feed = try Self.feed(of: database, file, configuration)
        } else {
            database = try opener.openInMemory()
            let memory = MemoryAssets()
            content = memory
            assets = memory
            identifier = try database.storeIdentifier()
            outbox = OutboxMark(keepsOutbox: configuration.keepsOutbox)
            feed = nil
        }
    }

    /// A store in memory whose content is there already.
    init(_ configuration: StoreConfiguration, inMemory database: SQLiteDatabase) throws {
        self.configuration = configuration
        self.database = database
        statements = ModelStatements(configuration, dialect: .sqlite)
        let memory = MemoryAssets()
        content = memory
        assets = memory
        identifier = try database.storeIdentifier()
        outbox = OutboxMark(keepsOutbox: configuration.keepsOutbox)
        feed = nil
    }

    /// Closes the store when it is let go.
    deinit {
        feed?.close()
        // Nobody is left who could be told that it failed.
        try? database.close()
    }

    /// Ends all work: waits for requests that are under way, and lets go of the files. A second call does nothing.
    public func close() throws {
        try database.close()
        feed?.close()
        presence.withLock { $0 = nil }
    }

    private static func feed(
        of database: SQLiteDatabase, _ file: SQLiteFile, _ configuration: StoreConfiguration
    ) throws -> ChangeFeed? {
        guard SQLiteOptions(configuration).followsOtherProcesses, !database.isStill else { return nil }
        return try ChangeFeed(
            SQLiteChangeSource(database, log: file.log), of: database, handler: configuration.changeHandler)
    }
}
