import BackstitchSQL
import BackstitchSupport
import Foundation

extension StorageMaintenance {
    /// Checks the storage for contradictions: sequences and heads, references and records, counters and rows, rows and
    /// content. Servers may write meanwhile. All rows are read in one snapshot, and content added or removed since is
    /// no fault.
    ///
    /// - Parameter hashes: Whether the bytes of assets in a folder are read too.
    /// - Throws: ``ZoneServerError`` if there is no storage, or it cannot be read.
    public func verify(hashes: Bool = false) async throws -> StorageReport {
        let report = try await reading { try Self.verify($0, hashes: hashes) }
        guard case .s3(let bucket) = configuration.assets else { return report }
        return try await lookIntoStore(bucket, report)
    }

    static func verify(_ storage: MaintainedStorage, hashes: Bool) throws -> StorageReport {
        var report = StorageReport()
        try storage.database.readOnce { connection in
            let snapshot = ZoneSnapshot(connection)
            try snapshot.verifyFeeds(&report)
            try snapshot.verifyReferences(&report)
            try snapshot.verifyUsage(&report)
        }
        if let folder = storage.assets { try verify(folder, of: storage, hashes: hashes, &report) }
        return report
    }

    /// Compares the rows of assets with the files in a folder.
    private static func verify(
        _ folder: AssetFolder, of storage: MaintainedStorage, hashes: Bool, _ report: inout StorageReport
    ) throws {
        report.hasHashed = hashes
        for asset in try usedAssets(storage) {
            let file = folder.file(asset.name).path
            guard let size = FileCalls.size(of: file) else {
                if try isMissing(asset, from: folder, storage) { report.add(.missingContent, asset.place) }
                continue
            }
            report.contents += 1
            if size != asset.size { report.add(.wrongContentSize, asset.place) }
            if hashes, try AssetChecksum(FileDigest.ofFile(file)) != asset.name.checksum {
                report.add(.wrongContent, asset.place)
            }
        }
        try folder.forEachName { name in
            let isKnown = try storage.database.read(isSnapshot: false) { connection in
                try ZoneSnapshot(connection).asset(tenantID: name.tenantID, checksum: name.checksum) != nil
            }
            if !isKnown { report.strayContents += 1 }
        }
    }

    private func lookIntoStore(_ bucket: S3Configuration, _ report: StorageReport) async throws -> StorageReport {
        var report = report
        let (assets, secret) = try await reading { storage in
            let secret = try storage.database.read(isSnapshot: false) { try ZoneSnapshot($0).secret() }
            return (try Self.usedAssets(storage), secret)
        }
        // Without a secret there was no server yet, and so there were no assets.
        guard let secret else { return report }
        let store = try await S3ContentStore.open(bucket, secret: secret, for: configuration)
        for asset in assets {
            if try await store.has(asset.name) { report.contents += 1; continue }
            if try await reading({ try Self.isUsed(asset.name, $0) }) { report.add(.missingContent, asset.place) }
        }
        return report
    }

    /// An asset in use by records.
    struct UsedAsset: Sendable {
        let name: AssetName
        let size: Int64
        /// The name of the container and environment.
        let tenant: String

        var place: String { "\(tenant) \(name.path)" }
    }

    /// The assets in use, by one statement.
    static func usedAssets(_ storage: MaintainedStorage) throws -> [UsedAsset] {
        try storage.database.readOnce { connection in
            try ZoneSnapshot(connection).all(
                """
                SELECT asset.tenant_id, checksum, size, tenant.name FROM asset JOIN tenant USING (tenant_id)
                WHERE EXISTS (SELECT 1 FROM asset_use AS u
                    WHERE u.tenant_id = asset.tenant_id AND u.checksum = asset.checksum)
                """
            ) { row in
                let name = AssetName(tenantID: row.int(0), checksum: AssetChecksum(bytes: row.bytes(1)))
                return UsedAsset(name: name, size: row.int(2), tenant: row.text(3))
            }
        }
    }

    /// Whether the content of an asset in use is missing. It may have gone with its record since the rows were read.
    static func isMissing(
        _ asset: UsedAsset, from folder: AssetFolder, _ storage: MaintainedStorage
    ) throws -> Bool {
        guard FileCalls.size(of: folder.file(asset.name).path) == nil else { return false }
        return try isUsed(asset.name, storage)
    }

    private static func isUsed(_ name: AssetName, _ storage: MaintainedStorage) throws -> Bool {
        try storage.database.read(isSnapshot: false) { connection in
            try ZoneSnapshot(connection).one(
                """
                SELECT 1 FROM asset_use WHERE tenant_id = \(name.tenantID) AND checksum = \(name.checksum.bytes) LIMIT 1
                """
            ) { _ in true } ?? false
        }
    }
}
