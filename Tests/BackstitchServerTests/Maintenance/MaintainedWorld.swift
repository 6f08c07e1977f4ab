import BackstitchSQL
import BackstitchSupport
import CloudWire
import Foundation
import Logging
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// A storage with a bit of everything, and what is done to it.
struct MaintainedWorld: Sendable {
    let kind: StorageKind
    let place: ZoneServerConfiguration.Storage

    static func run(_ kind: StorageKind, _ body: (MaintainedWorld) async throws -> Void) async throws {
        try await kind.withPlace { try await body(MaintainedWorld(kind: kind, place: $0)) }
    }

    static func maintenance(_ place: ZoneServerConfiguration.Storage) -> StorageMaintenance {
        var configuration = ZoneServerConfiguration(port: 0, storage: place)
        configuration.logger.logLevel = .critical
        return StorageMaintenance(configuration)
    }

    var maintenance: StorageMaintenance { Self.maintenance(place) }

    /// Serves the storage for the time of `body`.
    func serve<Value>(_ body: (TestClient) async throws -> Value) async throws -> Value {
        try await withServer({ $0.storage = place }) { client, _ in try await body(client.extended()) }
    }

    /// Runs a statement on the tables themselves.
    func execute(_ text: SQLText) throws {
        let database: any SQLDatabase
        var directory: StorageDirectory?
        switch place {
        case .directory(let url):
            let opened = try StorageDirectory(url, logger: ZoneServerConfiguration(storage: place).logger)
            directory = opened
            database = opened.database
        case .database(let source, _): database = try source.open()
        case .memory: throw TestFailure("nowhere")
        }
        defer { directory?.lock.release() }
        try database.transact { connection in _ = try ZoneTransaction(connection).execute(text) }
        try database.close()
        directory?.witness.close()
    }

    /// Keeps others from writing to a table of a database during `body`. `body` may ask whether any of them waits for
    /// that.
    func whileLocked<Value: Sendable>(
        _ table: String, _ body: (_ isWaitedFor: () throws -> Bool) async throws -> Value
    ) async throws -> Value {
        guard case .database(let source, _) = place else { throw TestFailure("no database") }
        let (isLocked, locked) = AsyncStream<Void>.makeStream()
        let isOver = DispatchSemaphore(value: 0)
        let lock = Task {
            try await BlockingWork.run {
                defer { locked.finish() }
                let database = try source.open()
                try database.transact { connection in
                    try ZoneTransaction(connection).execute("LOCK TABLE \(names: table) IN EXCLUSIVE MODE")
                    locked.yield()
                    isOver.wait()
                }
                try database.close()
            }
        }
        defer { isOver.signal() }
        for await _ in isLocked { break }
        let others = try source.open()
        let value = try await body {
            try others.transact { connection in
                try ZoneTransaction(connection).one(
                    "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = CAST(\(table) AS regclass)"
                ) { _ in true } ?? false
            }
        }
        try others.close()
        isOver.signal()
        try await lock.value
        return value
    }

    /// The folder of assets' content.
    var assets: URL {
        switch place {
        case .directory(let url): url.appending(path: "assets")
        case .database(_, let folder): folder ?? URL(filePath: "/nowhere")
        case .memory: URL(filePath: "/nowhere")
        }
    }

    /// The files of assets' content.
    func contents() throws -> [URL] {
        var files: [URL] = []
        try AssetFolder(existing: assets).forEachName { files.append(AssetFolder(existing: assets).file($0)) }
        return files
    }

    static let photo = (0..<90_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    /// Two users with records, deletions, references, assets, indexes, answers, subscriptions and a deleted zone.
    static func fill(_ client: TestClient) async throws {
        for user in ["ada", "bob"] {
            let client = client.user(user)
            try await client.makeZone()
            try await client.makeZone("gone")
            try await client.modify((0..<30).map { create("r\($0)", ["n": .int64(Int64($0))]) }, key: "first-\(user)")
            try await client.modify([create("lost")], zone: "gone")
            let child = WireReference(recordName: "r0", action: .validate)
            let later = WireReference(recordName: "to come", action: .deleteSelf)
            try await client.modify([
                create("child", ["r": .reference(child)]), create("early", ["r": .reference(later)]),
            ])
            try await client.modify((20..<24).map { operation(.forceDelete, "r\($0)") })
            let asset = try await upload(client, photo + Array(user.utf8))
            try await client.modify([create("photo", ["file": .asset(asset)])])
            _ = try await upload(client, Array("unused by \(user)".utf8))
            let _: ZonesResponse = try await client.call(
                .zonesModify, ZonesModifyRequest(operations: [.init(.delete, ZoneID(zoneName: "gone"))]))
        }
    }

    /// Ada shares her zone with Bob.
    static func share(_ client: TestClient) async throws {
        var share = WireRecord(recordName: WireShare.zoneShareName, recordType: WireShare.recordType)
        share.share = WireShare()
        share.share?.publicPermission = .readWrite
        let shared = try await client.user("ada").modify([RecordOperation(.create, share)])[0].record().share
        let _: ShareResultsResponse = try await client.user("bob").on("public").call(
            .recordsAccept, ShareGUIDsRequest(shortGUIDs: [ShortGUID(shared?.shortGUID ?? "")]))
    }

    /// Bob in the zone that Ada shares: the page after a token.
    static func guestPage(_ client: TestClient, _ token: String? = nil) async throws -> ZoneChanges {
        let answer: ZoneChangesResponse = try await client.user("bob").on("shared").call(
            .changesZone,
            ZoneChangesRequest(
                zones: [.init(zoneID: ZoneID(zoneName: "Z", ownerRecordName: "ada"), syncToken: token)]))
        guard case .changes(let page)? = answer.zones.first else { throw TestFailure("no page: \(answer)") }
        return page
    }

    static func upload(_ client: TestClient, _ content: [UInt8]) async throws -> WireAsset {
        let answer: AssetUploadResponse = try await client.call(
            .assetsUpload,
            AssetUploadRequest(
                zoneID: TestClient.zone, tokens: [.init(recordName: "photo", recordType: "Item", fieldName: "file")]))
        let sent = try await client.send(answer.tokens[0].url, body: content)
        #expect(sent.status == 200, "\(sent.text)")
        return try AssetUploadReceipt(wireJSON: sent.body).singleFile
    }

    /// The bytes of the record `photo`.
    static func photo(_ client: TestClient) async throws -> [UInt8] {
        let record = try await client.lookup(["photo"])[0].record()
        guard case .asset(let asset)? = record.value("file"), let url = asset.downloadURL else {
            throw TestFailure("no asset in \(record)")
        }
        return try await client.send(url, method: .GET).body
    }
}

extension StorageKind {
    /// A place that has nothing, of each kind.
    func withOther(_ body: (MaintainedWorld) async throws -> Void) async throws {
        try await MaintainedWorld.run(self, body)
    }
}
