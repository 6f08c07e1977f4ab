import Backstitch
import BackstitchSupport
import Foundation
import GRDB
import Logging

/// Keeps everything in one SQLite file, or in memory. Built on GRDB, whose queues run all work off the caller's
/// threads.
final class SQLiteZoneStorage: ZoneStorage {
    let secret: [UInt8]
    let history: Int64
    let assets: AssetFolder

    private let database: any DatabaseWriter
    private let runner: any WorkRunner
    private let commits: GroupCommit
    private let lock: FileLock?
    private let witness: StorageWitness?

    /// Opens the storage in a directory, which is made when it is missing. Blocks.
    ///
    /// - Parameter isRestored: Whether it is known to be an earlier state of a storage that has been served before.
    /// - Throws: ``ZoneServerError`` when the directory cannot be used, another server uses it, or the file in it is no
    ///   storage or one of a newer version. The file is then untouched.
    static func open(
        directory: URL, isRestored: Bool, runner: any WorkRunner, clock: any WallClock, random: any ServerRandom,
        logger: Logger
    ) throws(ZoneServerError) -> SQLiteZoneStorage {
        do {
            try PrivateFolder.make(directory)
            if try PrivateFolder.isWritableByOthers(directory) {
                logger.warning(
                    "other users can put files into the storage's folder '\(directory.path)'; chmod it to 0700")
            }
            let lock = try FileLock.ofStorage(directory)
            let file = directory.appendingPathComponent("zones.sqlite")
            try PrivateFolder.makeFile(file)
            for suffix in ["-wal", "-shm", "-journal"] {
                try PrivateFolder.refuseLink(URL(filePath: file.path + suffix))
            }
            try checkFormat(of: file)
            let pool = try DatabasePool(path: file.path, configuration: configuration())
            try makeDurable(pool)
            warnAboutOldLibrary(try pool.read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }, logger)
            let assets = try AssetFolder(directory.appendingPathComponent("assets"))
            try SQLiteSchema.migrator.migrate(pool)
            let witness = try StorageWitness(directory: directory, logger: logger)
            try PrivateFolder.synchronize(directory)
            let life = try enterLife(
                pool, witness, isRestored: isRestored, clock: clock, random: random, logger: logger)
            let storage = try SQLiteZoneStorage(
                database: pool, runner: runner, history: life.history, assets: assets, lock: lock, witness: witness,
                random: random)
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
    /// - Parameter database: One of ``databaseInMemory()``, which nobody else uses; nil for a new one.
    /// - Throws: ``ZoneServerError`` when the temporary directory cannot be made.
    static func inMemory(
        _ database: DatabaseQueue? = nil, runner: any WorkRunner, random: any ServerRandom
    ) throws(ZoneServerError) -> SQLiteZoneStorage {
        do {
            let assets = try AssetFolder(PrivateFolder.temporary("backstitch-assets"), isTemporary: true)
            return try SQLiteZoneStorage(
                database: database ?? databaseInMemory(), runner: runner, assets: assets, random: random)
        } catch {
            throw ZoneServerError(.storageUnavailable, "a storage in memory cannot be made", cause: error)
        }
    }

    /// A database in memory with a storage's tables. Blocks.
    static func databaseInMemory() throws -> DatabaseQueue {
        let queue = try DatabaseQueue(configuration: configuration())
        try SQLiteSchema.migrator.migrate(queue)
        return queue
    }

    /// - Parameter history: The number of the storage's history; a storage in memory has but one.
    private init(
        database: any DatabaseWriter, runner: any WorkRunner, history: Int64 = 1, assets: AssetFolder,
        lock: FileLock? = nil, witness: StorageWitness? = nil, random: any ServerRandom
    ) throws {
        self.database = database
        self.runner = runner
        self.history = history
        self.witness = witness
        commits = GroupCommit(database, witness: witness, runner: runner)
        self.assets = assets
        self.lock = lock
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
        try await runner.read(database) { db in try body(SQLiteTransaction(db)) }
    }

    func write<Value: Sendable>(
        for user: String, bytes: Int, _ body: @escaping @Sendable (any ZoneWriting) throws -> Value
    ) async throws -> Value {
        try await commits.write(for: user, bytes: bytes, body)
    }

    func close() async throws {
        try await runner.run { [database, assets, lock, witness] in
            try Self.doAll([
                // So that the file alone is the whole storage, for whoever copies it now.
                { if lock != nil { try database.writeWithoutTransaction { _ = try $0.checkpoint(.passive) } } },
                { try database.close() },
                { witness?.close() },
                { try assets.removeIfTemporary() },
                // Last, so that who waits for the directory finds everything closed.
                { lock?.release() },
            ])
        }
    }

    /// Takes each step, also after one that has failed: a disk that takes nothing any more is no reason to keep files
    /// open.
    ///
    /// - Throws: what the first step that failed has thrown.
    static func doAll(_ steps: [() throws -> Void]) throws {
        var first: (any Error)?
        for step in steps {
            do { try step() } catch { first = first ?? error }
        }
        if let first { throw first }
    }

    // MARK: Opening

    private static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = 8
        configuration.prepareDatabase { db in
            // A large push is a few megabytes; copying them into the database after each one would cost as much again.
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 8000")
            try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
            // Of each connection; the system keeps the file's pages anyway.
            try db.execute(sql: "PRAGMA cache_size = -8192")
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        return configuration
    }

    /// An acknowledged commit must survive a loss of power, which WAL alone does not promise. Opening a pool sets its
    /// writer to NORMAL, so this comes after it.
    private static func makeDurable(_ pool: DatabasePool) throws {
        let level = try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // The one that writes needs the pages between root and leaf again and again.
            try db.execute(sql: "PRAGMA cache_size = -32768")
            return try Int.fetchOne(db, sql: "PRAGMA synchronous")
        }
        guard level == 2 else {
            throw ZoneServerError(
                .storageUnavailable,
                "SQLite does not wait for the disk (synchronous is \(level.map(String.init) ?? "unknown"), not 2); use another build of it"
            )
        }
    }

    /// The format that a file declares.
    private struct FileFormat {
        var applicationID: Int64?
        var isEmpty: Bool
        var isNewer: Bool

        init(of file: URL, readonly: Bool) throws {
            var configuration = Configuration()
            configuration.readonly = readonly
            let queue = try DatabaseQueue(path: file.path, configuration: configuration)
            (applicationID, isEmpty, isNewer) = try queue.read { db in
                (
                    try Int64.fetchOne(db, sql: "PRAGMA application_id"),
                    try String.fetchAll(db, sql: SQLiteSchema.tablesWithContent).isEmpty,
                    try SQLiteSchema.migrator.hasBeenSuperseded(db)
                )
            }
            try queue.close()
        }
    }

    /// Looks into the file before anything is written to it.
    private static func checkFormat(of file: URL) throws {
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
        guard size > 0 else { return }
        let format: FileFormat
        do {
            do { format = try FileFormat(of: file, readonly: true) } catch let error as DatabaseError
                where error.resultCode == .SQLITE_READONLY
            {
                // A power cut has left a transaction that whoever opens the file undoes.
                format = try FileFormat(of: file, readonly: false)
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw ZoneServerError(
                .storageFormat, "'\(file.path)' is no SQLite database; choose another directory", cause: error)
        }
        // The power went while it was being made.
        if format.applicationID == 0, format.isEmpty { return }
        guard format.applicationID == SQLiteSchema.applicationID else {
            throw ZoneServerError(
                .storageFormat, "'\(file.path)' is a database of another program; choose another directory")
        }
        guard !format.isNewer else {
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
