import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchSupport
import Foundation
import Logging

/// The directory with a server's storage: the file of the database, a lock against other servers, the witness, which
/// notes the storage's age, and a reserve of the disk's room.
struct StorageDirectory: Sendable {
    let database: SQLiteDatabase
    let lock: FileLock
    let witness: StorageWitness
    let room: DiskRoom

    /// The number that marks a file as a database of this server ("BsZs").
    static let applicationID: Int32 = 0x4273_5A73
    /// The table with the names of the schema's finished steps. Its name is kept from the first version.
    static let notes = "grdb_migrations"

    /// Opens the directory, and makes it if it is missing. Blocks. If its disk is full, the reserve is given up first.
    ///
    /// - Parameter freeSpace: The free bytes of the disk; nil to ask the system.
    /// - Throws: ``ZoneServerError`` if another server uses the directory, or if its file is not a storage or has a
    ///   newer format. The file is then unchanged.
    init(_ url: URL, logger: Logger, freeSpace: (@Sendable () throws -> Int64)? = nil) throws {
        try PrivateFolder.make(url)
        if try PrivateFolder.isWritableByOthers(url) {
            logger.warning("other users can put files into the storage's folder '\(url.path)'; chmod it to 0700")
        }
        lock = try FileLock.ofStorage(url)
        let reserve = try DiskReserve(directory: url)
        let freeSpace = freeSpace ?? { try FileCalls.freeSpace(at: url.path) }
        if try freeSpace() < DiskRoom.least { try reserve.giveUp() }
        let file = url.appendingPathComponent("zones.sqlite")
        try Self.refuseLostDatabase(file, assets: url.appendingPathComponent("assets"))
        try PrivateFolder.makeFile(file)
        for suffix in ["-wal", "-shm", "-journal"] {
            try PrivateFolder.refuseLink(URL(filePath: file.path + suffix))
        }
        try Self.checkFormat(of: file)
        database = try SQLiteTables.open(file.path, applicationID: Self.applicationID)
        room = DiskRoom(directory: url, database, reserve, logger: logger, freeSpace: freeSpace)
        Self.warnAboutOldLibrary(SQLiteTables.version, logger)
        witness = try StorageWitness(directory: url, logger: logger)
    }

    /// Refuses a directory with assets but no database: a new database would not know the assets, and would remove
    /// them.
    private static func refuseLostDatabase(_ file: URL, assets: URL) throws {
        let size = try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        guard size ?? 0 == 0, try FileCalls.names(in: assets.path).contains(where: { Int64($0) != nil }) else { return }
        throw ZoneServerError(
            .storageUnavailable,
            """
            '\(file.path)' is \(size == nil ? "missing" : "empty"), and '\(assets.path)' has the assets of a storage; put \
            the database back, or begin a new storage in another folder
            """)
    }

    /// Checks the file before the first write to it.
    private static func checkFormat(of file: URL) throws {
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
        guard size > 0 else { return }
        do {
            try SQLiteTables.inspect(file.path) { applicationID, tables, connection in
                // The power failed while the file was being made.
                if applicationID == 0, tables.allSatisfy({ $0 == notes || $0.hasPrefix("sqlite_") }) { return }
                guard applicationID == Self.applicationID else {
                    throw ZoneServerError(
                        .storageFormat, "'\(file.path)' is a database of another program; choose another directory")
                }
                let schema = ZoneSchema(connection.dialect, notes: notes)
                guard tables.contains(notes) else { return }
                if try schema.isNewer(schema.taken(connection)) { throw ZoneSchema.isNewer(file.path) }
            }
        } catch let error as BackstitchError where error.code == .notADatabase {
            throw ZoneServerError(
                .storageFormat, "'\(file.path)' is not a SQLite database; choose another directory", cause: error)
        }
    }

    /// Warns about SQLite before 3.51.3, which can damage a file when two connections checkpoint at once.
    ///
    /// Here only the writer checkpoints, and the lock keeps other servers out. So the danger comes only from other
    /// programs.
    private static func warnAboutOldLibrary(_ version: String, _ logger: Logger) {
        let parts = version.split(separator: ".").compactMap { Int($0) }
        if parts.lexicographicallyPrecedes([3, 51, 3]) {
            logger.notice(
                "SQLite \(version) has the WAL-reset bug (fixed in 3.51.3): let no other program write to the storage")
        }
    }
}
