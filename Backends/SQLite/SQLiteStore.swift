public import Backstitch
package import BackstitchSQL
import BackstitchSupport
public import Foundation
import GRDB

/// A store in a SQLite file, or in memory when its URL is nil.
///
/// One connection writes while others read, so readers never wait for a save, and see only whole saves. The file,
/// SQLite's log beside it and the folder of assets (`NAME-assets`) can be read only by their owner.
///
/// ```swift
/// try PersistentContainer(model: .notes, store: .init(type: .sqlite, url: file))
/// ```
/// Options: ``StoreOption/sqliteSynchronous``, ``StoreOption/sqliteMaximumReaderCount``,
/// ``StoreOption/sqliteBusyTimeout``, ``StoreOption/sqliteCacheSize``, ``StoreOption/sqliteFollowsOtherProcesses``.
///
/// Doubles are stored bit for bit: -0.0, the infinities, and NaN with its payload, which sorts after all numbers.
public final class SQLiteStore: PersistentStore {
    /// The type's name in store descriptions: `"SQLite"`.
    public static let typeName = "SQLite"

    /// The options that SQLite stores accept.
    public static func optionSpecifications(for options: [StoreOption: any Sendable]) throws -> [OptionSpecification] {
        SQLiteOptions.specifications
    }

    /// Identifies the store's content. It is made together with the store.
    public let identifier: UUID

    /// Files beside the store's file, or memory for a store in memory.
    public let assets: any AssetStorage

    /// The same assets, with the collection of unused ones.
    package let content: (any CollectedAssets)?
    package let database: SQLiteDatabase
    package let configuration: StoreConfiguration
    package let outbox: OutboxMark
    package let statements: ModelStatements
    /// Nil for a store in memory, and for a closed one.
    private let presence = Locked<FilePresence?>(nil)
    /// Reports other processes' changes; nil for a store in memory, and if the options switch it off.
    package let feed: ChangeFeed?

    /// Opens the store in the file at the configuration's URL. A missing file is made, with its folders if the options
    /// allow it. If the URL is nil, the store is in memory.
    ///
    /// - Throws: ``BackstitchError/Code/notADatabase`` for a file of another kind or of another program;
    ///   ``BackstitchError/Code/modelMismatch`` for a store of another model; ``BackstitchError/Code/newerFormat`` for
    ///   a store of a newer version. In each of these cases the file is unchanged.
    ///   ``BackstitchError/Code/invalidModel`` when names of entities cannot be names of tables;
    ///   ``BackstitchError/Code/readOnly`` and ``BackstitchError/Code/storeFailure`` when the system refuses.
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

    /// Creates a store in memory from a database that already has its tables.
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

    /// Closes the store when it is released.
    deinit {
        feed?.close()
        // The error of a failed close cannot be reported to a caller here.
        try? database.close()
    }

    /// Ends all work: waits for running requests, and closes the files. A second call does nothing.
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
