import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchSupport
public import Foundation
import Logging

extension StorageMaintenance {
    /// Writes a backup into a folder that is empty or not there, while servers run: the storage of one moment, with the
    /// content of its assets. Nobody waits for it.
    ///
    /// A folder's database is copied by SQLite's online backup; the rows of another one are read in one snapshot, into
    /// a file of the same form. Content that is in a bucket stays there: have the bucket keep earlier versions for as
    /// long as backups are kept.
    ///
    /// - Throws: ``ZoneServerError`` when the folder has something in it, or the storage cannot be read; and when the
    ///   content of an asset is missing, which ``verify(hashes:)`` would tell as well. Such a folder has no manifest.
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
            // Most of it, before the moment of the backup: what goes soon after that moment has been copied by then.
            try contents?.copy(Self.usedAssets(storage))
            let file = folder.appending(path: BackupManifest.database)
            try Self.copyDatabase(of: storage, to: file)
            logger.info("the backup has the records; the rest of its assets follows")
            let (assets, history) = try Self.withBackup(file) { backup in
                let life = try backup.database.read(isSnapshot: false) { try SQLTransaction($0).life() }
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
            try SQLZoneStorage.takeSteps(backup.database, notes: backup.notes)
            try storage.database.readOnce { source in
                try backup.database.transact { _ = try TableTransfer(source: source, target: $0).run() }
            }
        }
    }

    /// Uploads that no record has taken have no place in a backup: their content may be gone by now.
    private static func removeUnusedAssets(_ backup: MaintainedStorage) throws {
        try backup.database.transact { connection in
            _ = try SQLTransaction(connection).execute(
                """
                DELETE FROM asset WHERE NOT EXISTS (SELECT 1 FROM asset_use AS u
                    WHERE u.tenant_id = asset.tenant_id AND u.checksum = asset.checksum)
                """)
        }
    }

    /// Runs `body` with the database of a backup; afterwards all of it is in its one file, on the disk.
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
