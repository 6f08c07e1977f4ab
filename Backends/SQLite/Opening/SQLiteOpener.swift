import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation
import GRDB
import GRDBSQLite
import Logging

/// Opens the database of a store, and makes it if it does not exist.
struct SQLiteOpener {
    private let configuration: StoreConfiguration
    private let options: SQLiteOptions
    private let maker: StoreMaker
    /// The files of the store, after its first connection has opened them. Later connections must open the same files.
    private let place = Locked<StorePlace?>(nil)

    /// The seconds that an opening waits while another process makes or migrates the store.
    private static let patience = 60.0

    init(_ configuration: StoreConfiguration) throws {
        self.configuration = configuration
        options = SQLiteOptions(configuration)
        maker = try StoreMaker(configuration, dialect: .sqlite)
    }

    /// Opens a store in memory. Its content is lost when it is closed.
    func openInMemory() throws -> SQLiteDatabase {
        guard !configuration.isReadOnly else { throw StoreConfiguration.notFound("no URL, in memory") }
        OnceLog.current.tell(
            .notice,
            "a SQLite store has no URL, so it is in memory, and gone when it is closed; give its description a file URL to keep it"
        )
        do {
            let queue = try DatabaseQueue(configuration: connectionConfiguration(nil))
            return try prepare(queue, file: nil, name: "the store in memory")
        } catch {
            throw SQLiteFailure.explain(error, store: "the store in memory")
        }
    }

    /// Opens a store in a file. Every fault of the file is found before the first write to it.
    func open(_ file: SQLiteFile) throws -> SQLiteDatabase {
        let content = try file.content()
        if configuration.isReadOnly { return try openReadOnly(file, content) }
        if content == .something {
            try SQLiteInspection.migration(of: file, configuration)
        } else {
            try file.refuseTracesOfStore()
        }
        let isMade = try content == .nothing && file.create(makesFolders: configuration.createsParentFolders)
        do {
            return try waitingForOthers { try openPool(file) }
        } catch {
            // If others hold the new file, it now belongs to them.
            if isMade, !Self.isLocked(error) { file.removeIfEmpty() }
            throw SQLiteFailure.explain(error, store: file.path)
        }
    }

    private func openPool(_ file: SQLiteFile) throws -> SQLiteDatabase {
        place.withLock { $0 = nil }
        let pool = try DatabasePool(path: file.path, configuration: connectionConfiguration(file))
        do {
            return try prepare(pool, file: file, name: file.path)
        } catch {
            try? pool.close()
            throw error
        }
    }

    /// Runs `body` again while others have the file locked, up to the waiting time of an opening. In two cases SQLite
    /// itself does not wait. One connection sets the log up while the last other one removes it, or two connections set
    /// it up at the same time.
    private func waitingForOthers<Result>(_ body: () throws -> Result) throws -> Result {
        let limit = ContinuousClock.now + .seconds(max(options.busyTimeout, Self.patience))
        while true {
            do { return try body() } catch {
                guard Self.isLocked(error), ContinuousClock.now < limit else { throw error }
            }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    private static func isLocked(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.resultCode == .SQLITE_BUSY
            || (error as? SQLiteFailure).map { $0.code & 0xFF == SQLITE_BUSY } ?? false
    }

    /// Opens an existing store for reading only.
    private func openReadOnly(_ file: SQLiteFile, _ content: SQLiteFile.Content) throws -> SQLiteDatabase {
        guard content == .something else { throw StoreConfiguration.notFound(file.path) }
        try SQLiteInspection.migration(of: file, configuration)
        do {
            guard file.isBesideLog else { return try openUnchanging(file) }
            do { return try openReadOnly(file, opening: file.path) } catch  where Self.lacksRight(error) {
                // The files beside it are left from another program, and this one must not use them.
                return try openUnchanging(file)
            }
        } catch {
            throw SQLiteFailure.explain(error, store: file.path)
        }
    }

    /// Opens a store in a folder without write access. SQLite would make its index of the log there, unless it treats
    /// the file as immutable. Each request checks that the file has not changed.
    private func openUnchanging(_ file: SQLiteFile) throws -> SQLiteDatabase {
        guard sqlite3_compileoption_used("USE_URI") != 0 else {
            throw BackstitchError(
                .readOnly,
                "\(file.path) is in a folder where this program may make no files, and this build of SQLite cannot read "
                    + "it there (SQLITE_USE_URI is off); give the program the right to write in the folder, or copy the "
                    + "store into another one")
        }
        try file.requireNoLog()
        let still = FileState(of: file.path)
        return try openReadOnly(file, opening: file.immutableURI, still: still)
    }

    /// Whether the error means a missing right to write.
    private static func lacksRight(_ error: any Error) -> Bool {
        guard let code = (error as? DatabaseError)?.resultCode else { return false }
        return [.SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM].contains(code)
    }

    private func openReadOnly(
        _ file: SQLiteFile, opening name: String, still: FileState? = nil
    ) throws -> SQLiteDatabase {
        var settings = connectionConfiguration(file)
        settings.readonly = true
        place.withLock { $0 = nil }
        let pool = try waitingForOthers { try DatabasePool(path: name, configuration: settings) }
        do {
            let isBlank = try waitingForOthers {
                try pool.read { database in
                    let isBlank = try Self.identity(of: database).isBlank
                    try note(file, openedBy: database, still: still)
                    return isBlank
                }
            }
            if isBlank { throw StoreConfiguration.notFound(file.path) }
        } catch {
            try? pool.close()
            throw error
        }
        return database(pool, file: still == nil ? file : nil, name: file.path, isReadOnly: true)
    }

    /// Checks a store that was just opened, and makes or migrates it if that is needed.
    private func prepare(
        _ connections: any DatabaseWriter, file: SQLiteFile?, name: String
    ) throws -> SQLiteDatabase {
        try connections.writeWithoutTransaction { database in
            // The pool's opening has set it to NORMAL.
            try database.execute(sql: "PRAGMA synchronous = \(options.synchronous.rawValue)")
            try database.execute(sql: SQLiteOptions.reachesPlatters)
            var isReady = false
            // In one transaction. Otherwise another process could make the store between two of the queries.
            try database.inTransaction(.deferred) {
                let identity = try Self.identity(of: database)
                isReady = try !identity.isBlank && identity.check(configuration, store: name) == nil
                return .commit
            }
            if !isReady { try makeOrMigrate(database, name: name, file: file) }
            try database.execute(sql: "PRAGMA busy_timeout = \(Int(options.busyTimeout * 1000))")
            // From now on the file itself has the identity, without its log. If another process reads now, the next
            // checkpoint moves it.
            if !isReady, connections is DatabasePool { _ = try? database.checkpoint(.full) }
            if let file { try note(file, openedBy: database) }
        }
        return database(connections, file: file, name: name, isReadOnly: false)
    }

    private func note(_ file: SQLiteFile, openedBy database: Database, still: FileState? = nil) throws {
        let opened = try StorePlace(file, openedBy: database.sqliteConnection, still: still)
        place.withLock { $0 = opened }
    }

    private func database(
        _ connections: any DatabaseWriter, file: SQLiteFile?, name: String, isReadOnly: Bool
    ) -> SQLiteDatabase {
        SQLiteDatabase(
            connections, lookUps: file.map(lookUps), name: name, isReadOnly: isReadOnly,
            foreignMigration: ForeignMigration(configuration), place: place.withLock { $0 },
            marker: isReadOnly ? nil : file.map(LogMarker.init))
    }

    /// Makes the store, or migrates it, in one transaction.
    private func makeOrMigrate(_ database: Database, name: String, file: SQLiteFile?) throws {
        // Kept from being collected until the commit.
        var shared: AssetGuard?
        defer { shared?.unshare() }
        try database.inTransaction(.immediate) {
            // Another process may have made or migrated the store meanwhile.
            let identity = try Self.identity(of: database)
            let connection = SQLiteConnection(database, admission: StatementCachePolicy())
            if identity.isBlank {
                try database.execute(sql: "PRAGMA application_id = \(SQLiteIdentity.applicationID)")
                try database.execute(sql: "PRAGMA user_version = \(SystemTables.format)")
                try maker.make(on: connection, keepsFormat: false)
                if file != nil {
                    try connection.run(StoreTable.replace(LogLink.first.text, for: .log, dialect: .sqlite))
                }
            } else if let migration = try identity.check(configuration, store: name) {
                // Only a file can have another model than its program.
                guard let file else { return .rollback }
                let owner = try StoreTable.identifier(on: connection, store: name)
                let assets = try AssetDirectory(file.assets, of: owner)
                try assets.content.share()
                shared = assets.content
                try migration.run(on: connection, content: assets)
            }
            return .commit
        }
    }

    private static func identity(of database: Database) throws -> SQLiteIdentity {
        try SQLiteIdentity { try String.fetchOne(database, sql: $0) }
    }

    /// The settings of the pool's connections.
    ///
    /// - Parameter file: The file of the store; nil for a store in memory.
    private func connectionConfiguration(_ file: SQLiteFile?) -> Configuration {
        var configuration = Configuration()
        configuration.label = "Backstitch.SQLite"
        configuration.foreignKeysEnabled = false
        // To make or migrate a store takes its time, and so does waiting for another process that does it.
        configuration.busyMode = .timeout(max(options.busyTimeout, Self.patience))
        configuration.maximumReaderCount = options.maximumReaderCount
        let settings = settings, place = place
        configuration.prepareDatabase { database in
            try place.withLock { $0 }?.check(openedBy: database.sqliteConnection)
            for setting in settings { try database.execute(sql: setting) }
            // After a large import the log shrinks again, to 64 MiB.
            try database.execute(sql: "PRAGMA journal_size_limit = 67108864")
            try SQLiteFunctionRegistry.register(on: database.sqliteConnection)
            if let file, !database.configuration.readonly { try LogMarker(file).begin(on: database) }
        }
        return configuration
    }

    private func lookUps(_ file: SQLiteFile) -> LookUpConnection {
        let place = place
        return LookUpConnection(
            path: file.path, settings: settings, busyTimeout: max(options.busyTimeout, Self.patience)
        ) { connection in
            try place.withLock { $0 }?.check(openedBy: connection)
        }
    }

    /// The settings of every connection, in the pool and for look-ups.
    private var settings: [String] {
        [
            "PRAGMA cache_size = -\(options.cacheSize)",
            // A manipulated file cannot call this project's functions from its views and triggers.
            "PRAGMA trusted_schema = OFF",
        ]
    }
}
