import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchSupport
import Foundation
import Logging

/// A storage that is open for maintenance. All its functions block.
struct MaintainedStorage {
    let name: String
    let database: any SQLDatabase
    /// The folder of assets' content; nil if a store of objects has it.
    let assets: AssetFolder?
    /// The folder of the storage, with the lock against servers; nil if the storage is only read, or shared by servers.
    let directory: StorageDirectory?
    /// The table of the schema's steps.
    let notes: String

    /// Tables with rows that are not the storage's own: the steps taken, the sums kept by triggers, and notes about
    /// removals under way.
    static let apart: Set<String> = [StorageDirectory.notes, sharedNotes, "usage", "asset_removal"]
    static let sharedNotes = "schema_step"

    /// Opens an existing storage, beside the servers that use it.
    ///
    /// - Throws: ``ZoneServerError`` if there is none, or one of another version.
    static func openForReading(_ configuration: ZoneServerConfiguration) throws -> MaintainedStorage {
        let storage: MaintainedStorage
        switch configuration.storage {
        case .memory: throw nowhere
        case .directory(let url):
            let file = try StorageDirectory.existingFile(in: url)
            storage = MaintainedStorage(
                name: "'\(url.path)'", database: try SQLiteTables.openForReading(file.path),
                assets: configuration.assets.isFolder ? AssetFolder(existing: url.appending(path: "assets")) : nil,
                directory: nil, notes: StorageDirectory.notes)
        case .database(let source, let folder):
            storage = MaintainedStorage(
                name: source.name, database: try source.open(),
                assets: configuration.assets.isFolder ? folder.map { AssetFolder(existing: $0) } : nil, directory: nil,
                notes: sharedNotes)
        }
        do { try storage.requireOwnVersion() } catch {
            try storage.close()
            throw error
        }
        return storage
    }

    /// Opens a place for a new storage, with its tables. In a folder it keeps servers out.
    ///
    /// - Throws: ``ZoneServerError`` if there is a storage already.
    static func openEmpty(_ configuration: ZoneServerConfiguration) throws -> MaintainedStorage {
        let storage: MaintainedStorage
        switch configuration.storage {
        case .memory: throw nowhere
        case .directory(let url):
            let directory = try StorageDirectory(url, logger: configuration.logger)
            storage = MaintainedStorage(
                name: "'\(url.path)'", database: directory.database,
                assets: configuration.assets.isFolder ? try AssetFolder(url.appending(path: "assets")) : nil,
                directory: directory, notes: StorageDirectory.notes)
        case .database(let source, let folder):
            storage = MaintainedStorage(
                name: source.name, database: try source.open(),
                assets: configuration.assets.isFolder
                    ? try folder.map { try AssetFolder($0, sharedBy: configuration.random) } : nil,
                directory: nil, notes: sharedNotes)
        }
        do {
            try ZoneStorage.takeSteps(storage.database, notes: storage.notes)
            if try storage.database.read(isSnapshot: true, { try storage.isInUse($0) }) {
                throw ZoneServerError(
                    .storageUnavailable,
                    "\(storage.name) has a storage already, or has had a server; choose an empty folder, or another schema or database"
                )
            }
        } catch {
            try storage.close()
            throw error
        }
        return storage
    }

    /// Closes the storage. A folder's database has no log afterwards, unless it was only read.
    func close() throws {
        try ZoneStorage.doAll([
            { try directory?.room.emptyLog() }, { try database.close() }, { directory?.witness.close() },
            { directory?.lock.release() },
        ])
    }

    private static var nowhere: ZoneServerError {
        ZoneServerError(
            .invalidConfiguration, "a storage in memory is gone with its server; name a folder or a database")
    }

    /// Whether a server has used these tables: then they have its secret or a tenant. Other rows prove nothing, since
    /// steps of the schema write rows too.
    private func isInUse(_ connection: any SQLConnection) throws -> Bool {
        let snapshot = ZoneSnapshot(connection)
        return try snapshot.secret() != nil || snapshot.one("SELECT 1 FROM tenant LIMIT 1") { _ in true } ?? false
    }

    /// Requires a storage with the tables of this version.
    ///
    /// - Throws: ``ZoneServerError`` if there is no storage, or if its tables are of another version.
    private func requireOwnVersion() throws {
        let (exists, lacks, isNewer) = try database.read(isSnapshot: true) { connection in
            guard try connection.describeTables().contains(where: { $0.name == notes }) else {
                return (false, [String](), false)
            }
            let schema = ZoneSchema(connection.dialect, notes: notes)
            let taken = try schema.taken(connection)
            return (true, schema.steps.map(\.name).filter { !taken.contains($0) }, schema.isNewer(taken))
        }
        guard exists else { throw ZoneServerError(.storageUnavailable, "there is no storage in \(name)") }
        if isNewer { throw ZoneSchema.isNewer(name) }
        guard lacks.isEmpty else {
            throw ZoneServerError(
                .storageFormat, "\(name) was written by an older version of this server; start `serve` on it once")
        }
    }
}

extension ZoneServerConfiguration.Assets {
    /// Whether content is in a folder.
    var isFolder: Bool { if case .folder = self { true } else { false } }
}

extension StorageDirectory {
    /// The file of the storage in a folder.
    ///
    /// - Throws: ``ZoneServerError`` if there is none.
    static func existingFile(in folder: URL) throws -> URL {
        let file = folder.appending(path: "zones.sqlite")
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw ZoneServerError(
                .storageUnavailable, "'\(folder.path)' has no storage: there is no zones.sqlite in it")
        }
        return file
    }
}
