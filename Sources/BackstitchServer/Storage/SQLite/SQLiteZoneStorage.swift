import Foundation
import GRDB
import Logging

/// Keeps everything in one SQLite file, or in memory. Built on GRDB, whose queues run all work off the caller's threads.
final class SQLiteZoneStorage: ZoneStorage {
    let secret: [UInt8]
    let assets: AssetFolder

    private let database: any DatabaseWriter
    private let lock: DirectoryLock?

    /// Opens the storage in a directory, which is made when it is missing. Blocks.
    ///
    /// - Throws: ``ZoneServerError`` when the directory cannot be used, another server uses it, or the file in it is no
    ///   storage or one of a newer version. The file is then untouched.
    static func open(
        directory: URL, random: any ServerRandom, logger: Logger
    ) throws(ZoneServerError) -> SQLiteZoneStorage {
        do {
            try PrivateFolder.make(directory)
            let lock = try DirectoryLock(directory: directory)
            let file = directory.appendingPathComponent("zones.sqlite")
            try PrivateFolder.makeFile(file)
            try checkFormat(of: file)
            let pool = try DatabasePool(path: file.path, configuration: configuration())
            warnAboutOldLibrary(try pool.read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }, logger)
            let assets = try AssetFolder(directory.appendingPathComponent("assets"))
            let storage = try SQLiteZoneStorage(database: pool, assets: assets, lock: lock, random: random)
            try storage.removeStrayAssets()
            return storage
        } catch let error as ZoneServerError {
            throw error
        } catch {
            throw ZoneServerError(
                .storageUnavailable,
                "the storage in '\(directory.path)' cannot be opened; check that the directory is writable and whole",
                cause: error)
        }
    }

    /// A storage in memory, with assets in a temporary directory that goes with it. Blocks.
    ///
    /// - Throws: ``ZoneServerError`` when the temporary directory cannot be made.
    static func inMemory(random: any ServerRandom) throws(ZoneServerError) -> SQLiteZoneStorage {
        do {
            let assets = try AssetFolder(PrivateFolder.temporary("backstitch-assets"), isTemporary: true)
            let queue = try DatabaseQueue(configuration: configuration())
            return try SQLiteZoneStorage(database: queue, assets: assets, lock: nil, random: random)
        } catch {
            throw ZoneServerError(.storageUnavailable, "a storage in memory cannot be made", cause: error)
        }
    }

    /// An empty storage in memory, made of this one, which is needed no more: with its tables, and the statements that are
    /// prepared. Blocks.
    func remade(random: any ServerRandom) throws -> SQLiteZoneStorage {
        try database.write { db in
            try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
            for table in try String.fetchAll(db, sql: SQLiteSchema.tablesWithContent) {
                try SQLiteTransaction(db).execute("DELETE FROM \(table)", [])
            }
        }
        let assets = try AssetFolder(PrivateFolder.temporary("backstitch-assets"), isTemporary: true)
        return try SQLiteZoneStorage(database: database, assets: assets, lock: nil, random: random)
    }

    /// Lets go of the files of a storage in memory, whose tables will go on in another one. Blocks.
    func putAway() throws { try assets.removeIfTemporary() }

    private init(
        database: any DatabaseWriter, assets: AssetFolder, lock: DirectoryLock?, random: any ServerRandom
    ) throws {
        self.database = database
        self.assets = assets
        self.lock = lock
        try SQLiteSchema.migrator.migrate(database)
        let fresh = random.bytes(32)
        secret = try database.write { db in
            try db.execute(
                sql: "INSERT INTO setting (name, value) VALUES ('secret', ?) ON CONFLICT DO NOTHING",
                arguments: [Data(fresh)])
            let kept = try Data.fetchOne(db, sql: "SELECT value FROM setting WHERE name = 'secret'")
            return kept.map { Array($0) } ?? fresh
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneReading) throws -> Value
    ) async throws -> Value {
        if BlockingWork.runsInline { return try readInline(body) }
        return try await database.read { db in try body(SQLiteTransaction(db)) }
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneWriting) throws -> Value
    ) async throws -> Value {
        if BlockingWork.runsInline { return try writeInline(body) }
        return try await database.write { db in try body(SQLiteTransaction(db)) }
    }

    /// Without the guard against writing, whose every switch makes SQLite compile all statements anew.
    private func readInline<Value>(_ body: (any ZoneReading) throws -> Value) throws -> Value {
        try database.unsafeReentrantRead { db in try body(SQLiteTransaction(db)) }
    }

    private func writeInline<Value>(_ body: (any ZoneWriting) throws -> Value) throws -> Value {
        try database.write { db in try body(SQLiteTransaction(db)) }
    }

    func close() async throws {
        try await BlockingWork.run { [database, assets, lock] in
            try database.close()
            try assets.removeIfTemporary()
            lock?.release()
        }
    }

    // MARK: Opening

    private static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = 8
        configuration.prepareDatabase { db in
            // An acknowledged commit must survive a loss of power, which WAL alone does not promise.
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // A large push is a few megabytes; copying them into the database after each one would cost as much again.
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 8000")
            try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
            try db.execute(sql: "PRAGMA cache_size = -65536")
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        return configuration
    }

    /// Looks into the file before anything is written to it.
    private static func checkFormat(of file: URL) throws {
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
        guard size > 0 else { return }
        var configuration = Configuration()
        configuration.readonly = true
        let applicationID: Int64?
        let isNewer: Bool
        do {
            let queue = try DatabaseQueue(path: file.path, configuration: configuration)
            applicationID = try queue.read { try Int64.fetchOne($0, sql: "PRAGMA application_id") }
            isNewer = try queue.read { try SQLiteSchema.migrator.hasBeenSuperseded($0) }
            try queue.close()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw ZoneServerError(
                .storageFormat, "'\(file.path)' is no SQLite database; choose another directory", cause: error)
        }
        guard applicationID == SQLiteSchema.applicationID else {
            throw ZoneServerError(
                .storageFormat, "'\(file.path)' is a database of another program; choose another directory")
        }
        guard !isNewer else {
            throw ZoneServerError(
                .storageFormat, "'\(file.path)' was written by a newer version of this server; run that version")
        }
    }

    /// SQLite before 3.51.3 can damage a file when two connections checkpoint at once. Here only the writer does, and
    /// the lock keeps other servers out, so it is a matter of care with other programs.
    private static func warnAboutOldLibrary(_ version: String?, _ logger: Logger) {
        let parts = (version ?? "").split(separator: ".").compactMap { Int($0) }
        if parts.lexicographicallyPrecedes([3, 51, 3]) {
            logger.notice(
                "SQLite \(version ?? "?") has the WAL-reset bug (fixed in 3.51.3): let no other program write to the storage"
            )
        }
    }

    private func removeStrayAssets() throws {
        try database.read { db in
            try assets.removeStrays { try SQLiteTransaction(db).asset(tenantID: $0, checksum: $1) != nil }
        }
    }
}
