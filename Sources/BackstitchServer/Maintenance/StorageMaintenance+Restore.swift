import BackstitchSQL
import BackstitchSQLite
import BackstitchSupport
public import Foundation

extension StorageMaintenance {
    /// Makes a storage from a backup, in a folder without a storage or in a schema unused by any server. The backup may
    /// be from any kind of database. The storage begins a new history, as with `serve --restored`. Clients read
    /// everything again, and send everything missing in the backup.
    ///
    /// The storage exists when this returns, and no part of it before. A process that ends meanwhile leaves a folder
    /// `restoring`, or nothing. The restore can then be repeated.
    ///
    /// - Throws: ``ZoneServerError`` if the backup is incomplete or damaged, or there is a storage already.
    public func restore(from backup: URL) async throws {
        let configuration = configuration
        try await BlockingWork.run {
            let manifest = try BackupManifest.read(in: backup)
            let file = backup.appending(path: BackupManifest.database)
            guard try FileDigest.ofFile(file.path).hexadecimal == manifest.databaseSHA256 else {
                throw ZoneServerError(
                    .storageFormat,
                    "'\(file.path)' is not the file that the backup's manifest describes; use another backup")
            }
            if manifest.assets != nil, !configuration.assets.isFolder {
                throw ZoneServerError(
                    .invalidConfiguration,
                    "the backup has the content of assets: restore it with a folder for it, then copy that to the bucket"
                )
            }
            do {
                switch configuration.storage {
                case .directory(let folder):
                    try Self.restore(file, toFolder: folder, assets: backup, configuration)
                default: try Self.restore(file, toDatabaseOf: configuration, assets: backup)
                }
            } catch { throw Self.explained(error, "the place of the restored storage") }
        }
    }

    private static func restore(
        _ file: URL, toFolder folder: URL, assets backup: URL, _ configuration: ZoneServerConfiguration
    ) throws {
        guard !FileManager.default.fileExists(atPath: folder.appending(path: "zones.sqlite").path) else {
            throw ZoneServerError(
                .storageUnavailable, "'\(folder.path)' has a storage already; choose another folder, or move it away")
        }
        try PrivateFolder.make(folder)
        let lock = try FileLock.ofStorage(folder)
        defer { lock.release() }
        try withStage(of: file, in: folder.appending(path: "restoring"), configuration) { stage in
            try copyAssets(
                of: stage, from: backup, to: configuration.assets.isFolder ? folder.appending(path: "assets") : nil)
            try beginHistory(stage, stage.directory?.witness, configuration)
        }
        // The witness first: alone it has no effect. The database without it would begin one more history.
        for name in ["zones.witness", "zones.sqlite"] {
            _ = try FileCalls.rename(
                folder.appending(path: "restoring/\(name)").path, to: folder.appending(path: name).path)
        }
        try PrivateFolder.synchronize(folder)
        try FileManager.default.removeItem(at: folder.appending(path: "restoring"))
    }

    private static func restore(
        _ file: URL, toDatabaseOf configuration: ZoneServerConfiguration, assets backup: URL
    ) throws {
        let place = try PrivateFolder.temporary("backstitch-restore")
        defer { try? FileManager.default.removeItem(at: place) }
        // A backup of an older version takes its missing steps before the transfer.
        try withStage(of: file, in: place.appending(path: "storage"), configuration) { stage in
            let target = try MaintainedStorage.openEmpty(configuration)
            do {
                if let folder = target.assets {
                    var copy = AssetCopy(from: AssetFolder(existing: backup.appending(path: "assets")), to: folder)
                    try copy.copy(usedAssets(stage))
                    try copy.requireAll()
                }
                try beginHistory(stage, nil, configuration)
                try carry(stage, to: target)
            } catch {
                try? target.close()
                throw error
            }
            try target.close()
        }
    }

    /// Runs `body` with a copy of a backup's database as a storage of this version in a folder of its own.
    private static func withStage(
        of file: URL, in folder: URL, _ configuration: ZoneServerConfiguration,
        _ body: (MaintainedStorage) throws -> Void
    ) throws {
        let manager = FileManager.default
        if manager.fileExists(atPath: folder.path) { try manager.removeItem(at: folder) }
        try PrivateFolder.make(folder)
        _ = try FileDigest.copying(file.path, to: folder.appending(path: "zones.sqlite").path)
        let directory = try StorageDirectory(folder, logger: configuration.logger)
        let stage = MaintainedStorage(
            name: "the backup", database: directory.database, assets: nil, directory: directory,
            notes: StorageDirectory.notes)
        do {
            try ZoneStorage.takeSteps(directory.database, notes: stage.notes)
            try body(stage)
        } catch {
            try? stage.close()
            throw error
        }
        try stage.close()
    }

    private static func copyAssets(of stage: MaintainedStorage, from backup: URL, to folder: URL?) throws {
        guard let folder else { return }
        var copy = AssetCopy(
            from: AssetFolder(existing: backup.appending(path: "assets")), to: try AssetFolder(folder))
        try copy.copy(usedAssets(stage))
        try copy.requireAll()
    }

    private static func beginHistory(
        _ stage: MaintainedStorage, _ witness: StorageWitness?, _ configuration: ZoneServerConfiguration
    ) throws {
        _ = try ZoneStorage.enterLife(
            stage.database, witness, isRestored: true, clock: configuration.clock, random: configuration.random,
            logger: configuration.logger)
    }

    /// Carries the rows of a storage without writers into an empty one, in one transaction.
    ///
    /// - Parameter isSteady: Asked before the end whether the source is unchanged.
    /// - Returns: The number of rows of each table.
    @discardableResult
    static func carry(
        _ source: MaintainedStorage, to target: MaintainedStorage, isSteady: () throws -> Bool = { true }
    ) throws -> [String: Int] {
        try source.database.readOnce { reading in
            try target.database.transact { writing in
                // If two restore at once, the second one finds rows.
                if let turn = writing.dialect.turn("zones") {
                    try writing.run(SQLStatement(writing.dialect, turn))
                }
                let counts = try TableTransfer(source: reading, target: writing).run()
                for (table, count) in counts { try check(table, has: count, writing) }
                guard try isSteady() else {
                    throw ZoneServerError(
                        .storageUnavailable,
                        "a server has written to \(source.name) meanwhile; stop all servers of it, then begin again")
                }
                return counts
            }
        }
    }

    private static func check(_ table: String, has count: Int, _ connection: any SQLConnection) throws {
        let found = try ZoneSnapshot(connection).one("SELECT count(*) FROM \(names: SQLNames.quoted(table))") {
            Int($0.int(0))
        }
        guard found == count else {
            throw ZoneServerError(
                .storageFormat,
                "\(table) should have \(count) rows and has \(found ?? 0); another program writes to the new place")
        }
    }
}
