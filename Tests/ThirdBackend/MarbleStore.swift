import Backstitch
import BackstitchSQL
import Foundation

/// The store of a third database for these tests only. It shows the effort for a new SQL database, and proves that only
/// its own folder must know of it.
///
/// Below the names, Marble is SQLite. Everything that can have another name has one: types, functions, placeholders,
/// messages.
final class MarbleStore: SQLStore {
    static let typeName = "Marble"

    let identifier: UUID
    let assets: any AssetStorage
    let content: (any CollectedAssets)?
    let database: MarbleDatabase
    let configuration: StoreConfiguration
    let outbox: OutboxMark
    let statements: ModelStatements
    let feed: ChangeFeed?

    init(_ configuration: StoreConfiguration) throws {
        self.configuration = configuration
        statements = ModelStatements(configuration, dialect: MarbleDialect())
        let file = try MarbleFile(configuration.url)
        database = try MarbleOpener(configuration, file).open()
        identifier = try database.storeIdentifier()
        outbox = try OutboxMark(configuration, in: database)
        feed = try ChangeFeed(MarbleChangeSource(database), of: database, handler: configuration.changeHandler)
        let folder = try AssetDirectory(file.assets, of: identifier, isReadOnly: configuration.isReadOnly)
        content = folder
        assets =
            configuration.isReadOnly
            ? ReadOnlyAssets(folder, refusal: StoreConfiguration.isReadOnly(database.name)) : folder
    }

    deinit {
        feed?.close()
        try? database.close()
    }

    func close() throws {
        try database.close()
        feed?.close()
    }

    func beginSnapshot() throws -> MarbleSnapshot? { try database.makeSnapshot() }

    /// A file of this kind has no locks to give; the sync store then takes one beside it.
    func makeLock(_ name: String, onLoss: @escaping @Sendable () -> Void) throws -> (any StoreLock)? { nil }

    static func migrationPlan(for configuration: StoreConfiguration) throws -> MigrationPlan? {
        try MarbleOpener(configuration, MarbleFile(configuration.url)).plan()
    }

    static func destroy(at url: URL?, options: StoreOptions) throws {
        try MarbleOpener.destroy(MarbleFile(url))
    }
}
