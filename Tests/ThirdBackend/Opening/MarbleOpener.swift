import Backstitch
import BackstitchSQL
import Foundation

/// Opens the database of a store, and makes it if needed.
struct MarbleOpener {
    private let configuration: StoreConfiguration
    private let file: MarbleFile
    private let maker: StoreMaker

    init(_ configuration: StoreConfiguration, _ file: MarbleFile) throws {
        self.configuration = configuration
        self.file = file
        maker = try StoreMaker(configuration, dialect: MarbleDialect())
    }

    func open() throws -> MarbleDatabase {
        if configuration.isReadOnly, !file.exists { throw StoreConfiguration.notFound(file.path) }
        if !configuration.isReadOnly { try file.makeFolder() }
        let database = MarbleDatabase(file.path, configuration)
        try database.use { connection in
            let identity = try StoreIdentity(connection)
            if identity.isBlank, configuration.isReadOnly { throw StoreConfiguration.notFound(file.path) }
            if try !identity.isBlank && check(identity) == nil { return }
            try connection.run("PRAGMA journal_mode = WAL")
            // Kept from being collected until the commit.
            var shared: AssetGuard?
            defer { shared?.unshare() }
            try connection.transaction("BEGIN IMMEDIATE") {
                // Another process may have made or migrated the store since we looked.
                let identity = try StoreIdentity(connection)
                if identity.isBlank {
                    try maker.make(on: connection)
                } else if let migration = try check(identity) {
                    let owner = try StoreTable.identifier(on: connection, store: file.path)
                    let assets = try AssetDirectory(file.assets, of: owner)
                    try assets.content.share()
                    shared = assets.content
                    try migration.run(on: connection, content: assets)
                }
            }
        }
        return database
    }

    /// The migration that ``open()`` would carry out.
    func plan() throws -> MigrationPlan? {
        guard file.exists else { return nil }
        let database = MarbleDatabase(file.path, configuration)
        defer { try? database.close() }
        return try database.use { connection in
            let identity = try StoreIdentity(connection)
            return identity.isBlank ? nil : try check(identity)?.plan
        }
    }

    static func destroy(_ file: MarbleFile) throws {
        guard file.exists else { return }
        let database = MarbleDatabase(file.path, nil)
        defer { try? database.close() }
        try database.use { connection in
            try StoreIdentity(connection).checkRemoval(store: file.path, stranger: "holds no Marble store")
            var mode = ""
            try connection.forEachRow(of: SQLStatement(MarbleDialect(), "PRAGMA journal_mode = DELETE")) {
                mode = $0.text(0)
            }
            guard mode == "delete" else {
                throw BackstitchError(.storeFailure, "\(file.path) is in use; close it everywhere first")
            }
        }
        try file.remove()
    }

    private func check(_ identity: StoreIdentity) throws -> StoreMigration? {
        try identity.check(configuration, store: file.path, stranger: "holds no Marble store; choose another file")
    }
}

extension StoreIdentity {
    /// The identity that a file states. A file contains a store if it has the identifying table.
    fileprivate init(_ connection: MarbleConnection) throws {
        var names: Set<String> = []
        try connection.forEachRow(of: SQLStatement(MarbleDialect(), "SELECT name FROM sqlite_schema")) {
            names.insert($0.text(0))
        }
        let isStore = names.contains(StoreTable.name)
        self.init(
            isBlank: names.isEmpty, isStore: isStore, values: isStore ? try StoreTable.values(on: connection) : [:])
    }
}
