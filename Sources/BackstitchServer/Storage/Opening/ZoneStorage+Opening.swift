import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchSupport
import Foundation
import Logging

extension ZoneStorage {
    /// Opens the storage named by a configuration. Blocks.
    ///
    /// - Throws: ``ZoneServerError`` if the storage cannot be used.
    static func open(_ configuration: ZoneServerConfiguration) throws(ZoneServerError) -> ZoneStorage {
        switch configuration.storage {
        case .directory(let folder): try open(folder, configuration)
        case .memory: try inMemory(runner: configuration.runner, random: configuration.random)
        case .database(let source, let assets): try open(source, assets: assets, configuration)
        }
    }

    /// Opens the storage in a directory, and makes the directory if it is missing.
    private static func open(
        _ url: URL, _ configuration: ZoneServerConfiguration
    ) throws(ZoneServerError) -> ZoneStorage {
        do {
            let directory = try StorageDirectory(url, logger: configuration.logger)
            let assets = try AssetFolder(url.appendingPathComponent("assets"))
            try takeSteps(directory.database, notes: StorageDirectory.notes)
            try PrivateFolder.synchronize(url)
            let life = try enterLife(
                directory.database, directory.witness, isRestored: configuration.isRestored,
                clock: configuration.clock, random: configuration.random, logger: configuration.logger)
            let storage = try ZoneStorage(
                directory.database, runner: configuration.runner, history: life.history, assets: assets,
                directory: directory, random: configuration.random)
            try storage.removeStrayAssets()
            try directory.room.look()
            return storage
        } catch let error as ZoneServerError {
            throw error
        } catch {
            throw ZoneServerError(
                .storageUnavailable,
                SQLiteDatabase.isFull(error) || (error as? SystemError)?.isFull == true
                    ? "the disk of the storage in '\(url.path)' is full; free some megabytes and start the server again"
                    : "the storage in '\(url.path)' cannot be opened; check that the directory is writable and whole",
                cause: error)
        }
    }

    /// Opens the storage in a database that several servers may share.
    ///
    /// Its files are in a folder shared by the servers, or in a temporary folder of this server for uploads in
    /// progress.
    private static func open(
        _ source: DatabaseSource, assets folder: URL?, _ configuration: ZoneServerConfiguration
    ) throws(ZoneServerError) -> ZoneStorage {
        do {
            let database = try source.open()
            do {
                try takeSteps(database, notes: "schema_step")
                let life = try enterLife(
                    database, nil, isRestored: configuration.isRestored, clock: configuration.clock,
                    random: configuration.random, logger: configuration.logger)
                let assets =
                    try folder.map { try AssetFolder($0, sharedBy: configuration.random) }
                    ?? AssetFolder(PrivateFolder.temporary("backstitch-uploads"), isTemporary: true)
                return try ZoneStorage(
                    database, runner: configuration.runner, history: life.history, assets: assets,
                    replicas: try ReadReplicas(configuration), clock: configuration.clock, random: configuration.random)
            } catch {
                try? database.close()
                throw error
            }
        } catch let error as ZoneServerError {
            throw error
        } catch {
            throw ZoneServerError(
                .storageUnavailable,
                "the storage in \(source.name) cannot be opened; check that the database exists and may be used",
                cause: error)
        }
    }

    /// Makes a storage in memory, with its assets in a temporary directory that is removed with it. Blocks.
    ///
    /// - Parameter database: One of ``databaseInMemory()`` without other users; nil for a new one.
    /// - Parameter isShared: Whether several servers of this process shall serve the storage.
    /// - Throws: ``ZoneServerError`` if the temporary directory cannot be made.
    static func inMemory(
        _ database: SQLiteDatabase? = nil, isShared: Bool = false, runner: any WorkRunner, random: any ServerRandom
    ) throws(ZoneServerError) -> ZoneStorage {
        do {
            let assets = try AssetFolder(PrivateFolder.temporary("backstitch-assets"), isTemporary: true)
            return try ZoneStorage(
                try database ?? databaseInMemory(), runner: runner, assets: assets, isShared: isShared, random: random)
        } catch {
            throw ZoneServerError(.storageUnavailable, "a storage in memory cannot be made", cause: error)
        }
    }

    /// A database in memory with the tables of a storage. Blocks.
    static func databaseInMemory() throws -> SQLiteDatabase {
        let database = try SQLiteTables.inMemory()
        try takeSteps(database, notes: StorageDirectory.notes)
        return database
    }

    /// Runs the steps of the schema that a database lacks. Blocks.
    static func takeSteps(_ database: any SQLDatabase, notes: String) throws {
        try database.transact { connection in
            try ZoneSchema(connection.dialect, notes: notes).take(ZoneTransaction(connection), of: database.name)
        }
    }
}
