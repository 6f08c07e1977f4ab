import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchSupport
public import Foundation
import Logging

extension StorageMaintenance {
    /// Writes a backup into an empty or new folder, while servers run. It has the storage at one moment, with the
    /// content of its assets. No server waits for it.
    ///
    /// A folder's database is copied by SQLite's online backup. The rows of another database are read in one snapshot,
    /// into a file of the same form. Content in a bucket stays there. Let the bucket keep earlier versions for as long
    /// as backups are kept.
    ///
    /// - Throws: ``ZoneServerError`` if the folder is not empty, or the storage cannot be read. It also throws if the
    ///   content of an asset is missing, as ``verify(hashes:)`` would report. Such a folder has no manifest.
    public func backUp(to folder: URL) async throws -> BackupManifest {
        let made = configuration.clock.milliseconds()
        let logger = configuration.logger
        return try await reading { storage in
            try PrivateFolder.make(folder)
            guard try FileCalls.names(in: folder.path).isEmpty else {
                throw ZoneServerError(
                    .storageUnavailable, "'\(folder.path)' has files in it; choose an empty folder for the backup")
            }
            var contents = try storage.assets.map { try AssetCopy(from: $0, to: folder) }
            // Most content is copied before the moment of the backup. So content removed soon after that moment is
            // copied already.
            try contents?.copy(Self.usedAssets(storage))
            let file = folder.appending(path: BackupManifest.database)
            try Self.copyDatabase(of: storage, to: file)
            logger.info("the backup has the records; the rest of its assets follows")
            let (assets, history) = try Self.withBackup(file) { backup in
                let life = try backup.database.read(isSnapshot: false) { try ZoneSnapshot($0).life() }
                let assets = try Self.usedAssets(backup)
                try Self.removeUnusedAssets(backup)
                return (assets, life?.history ?? 0)
            }
            try contents?.copy(assets)
            try contents?.requireAll()
            try PrivateFolder.synchronize(folder)
            let manifest = BackupManifest(
                format: BackupManifest.form, storage: storage.name, made: made, history: history,
                databaseBytes: FileCalls.size(of: file.path) ?? 0,
                databaseSHA256: try FileDigest.ofFile(file.path).hexadecimal,
                assets: contents.map { _ in assets.count },
                assetBytes: contents.map { _ in assets.reduce(0) { $0 + $1.size } })
            try manifest.write(in: folder)
            return manifest
        }
    }

    /// Writes the rows of one moment into a new file, in the form of a folder's storage.
    private static func copyDatabase(of storage: MaintainedStorage, to file: URL) throws {
        try PrivateFolder.makeFile(file)
        if let database = storage.database as? SQLiteDatabase { return try database.backUp(to: file.path) }
        try withBackup(file) { backup in
            try ZoneStorage.takeSteps(backup.database, notes: backup.notes)
            try storage.database.readOnce { source in
                try backup.database.transact { _ = try TableTransfer(source: source, target: $0).run() }
            }
        }
    }

    /// Removes uploads without a record. They have no place in a backup, since their content may be gone by now.
    private static func removeUnusedAssets(_ backup: MaintainedStorage) throws {
        try backup.database.transact { connection in
            _ = try ZoneTransaction(connection).execute(
                """
                DELETE FROM asset WHERE NOT EXISTS (SELECT 1 FROM asset_use AS u
                    WHERE u.tenant_id = asset.tenant_id AND u.checksum = asset.checksum)
                """)
        }
    }

    /// Runs `body` with the database of a backup. Afterwards all of it is in its one file, on the disk.
    private static func withBackup<Value>(_ file: URL, _ body: (MaintainedStorage) throws -> Value) throws -> Value {
        let database = try SQLiteTables.open(file.path, applicationID: StorageDirectory.applicationID)
        let value: Value
        do {
            value = try body(
                MaintainedStorage(
                    name: "'\(file.path)'", database: database, assets: nil, directory: nil,
                    notes: StorageDirectory.notes))
            try database.checkpoint()
        } catch {
            try? database.close()
            throw error
        }
        try database.close()
        return value
    }
}
