import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import GRDB
import TestSupport
import Testing

@testable import BackstitchServer

@Suite struct StorageTests {
    @Test("a server on the same storage goes on where the last one ended", arguments: StorageKind.allCases)
    func restart(_ kind: StorageKind) async throws {
        try await kind.withPlace { place in
            let kept = Locked<(record: WireRecord, token: String?, database: String?)?>(nil)
            try await withServer({ $0.storage = place }) { plain, _ in
                let client = plain.extended()
                try await client.makeZone()
                let record = try await client.modify([create("A", ["n": .int64(.min)])], key: "k")[0].record()
                let database: DatabaseChangesResponse = try await client.call(.changesDatabase)
                let page = try await client.page()
                kept.withLock { $0 = (record, page.syncToken, database.syncToken) }
            }
            try await withServer({ $0.storage = place }) { plain, _ in
                let client = plain.extended()
                let (record, token, database) = try #require(kept.withLock { $0 })
                #expect(try await client.lookup(["A"])[0].record() == record)
                #expect(try await client.page(token).records.isEmpty)
                #expect(try await client.modify([create("A", ["n": .int64(.min)])], key: "k")[0].record() == record)
                let changes: DatabaseChangesResponse = try await client.call(
                    .changesDatabase, DatabaseChangesRequest(syncToken: database))
                #expect(changes.zones.isEmpty)
                let next = try await client.save(.update, "A", tag: record.recordChangeTag)
                #expect(try await client.page(token).records == [next])
            }
        }
    }

    @Test("files and folders are the owner's alone")
    func modes() async throws {
        try await withFolder { folder in
            try await withServer({ $0.storage = .directory(folder) }) { client, _ in
                try await client.makeZone()
                let answer: AssetUploadResponse = try await client.call(
                    .assetsUpload, AssetUploadRequest(tokens: [.init(recordName: nil, recordType: nil, fieldName: "f")])
                )
                _ = try await client.send(answer.tokens[0].url, body: [1, 2, 3])
                var names = [""]
                let found = FileManager.default.enumerator(atPath: folder.path)
                while let name = found?.nextObject() as? String { names.append(name) }
                #expect(names.contains { $0.hasSuffix("zones.sqlite-wal") })
                #expect(names.contains { $0.hasPrefix("assets/1/") })
                for name in names {
                    let attributes = try FileManager.default.attributesOfItem(
                        atPath: folder.appendingPathComponent(name).path)
                    let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
                    #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(name)")
                }
            }
        }
    }

    @Test("a folder that was there keeps its mode, and so do those around it; what is made in it is the owner's alone")
    func foreignFolder() async throws {
        try await withFolder { folder in
            func mode(_ url: URL) throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
            }
            let shared = folder.appendingPathComponent("shared"), own = shared.appendingPathComponent("own")
            try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: shared.path)
            for place in [shared, own] {
                try await withServer({ $0.storage = .directory(place) }) { client, _ in _ = try await client.makeZone()
                }
                #expect(try mode(shared) == 0o1777)
                #expect(try mode(place.appendingPathComponent("zones.sqlite")) == 0o600)
                #expect(try mode(place.appendingPathComponent("assets")) == 0o700)
            }
            #expect(try mode(own) == 0o700)
        }
    }

    @Test(
        "a link in the place of the folder, or of a file in it, is refused and not followed",
        arguments: [
            "", "zones.sqlite", "zones.sqlite-wal", "zones.sqlite-shm", "zones.witness", "zones.reserve", "lock",
            "assets", "assets/partial",
        ])
    func links(_ name: String) async throws {
        try await withFolder { folder in
            let storage = folder.appendingPathComponent("storage"), target = folder.appendingPathComponent("target")
            let manager = FileManager.default
            let link = name.isEmpty ? storage : storage.appendingPathComponent(name)
            try manager.createDirectory(at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
            let isFolder = name.isEmpty || name.hasPrefix("assets")
            if isFolder { try manager.createDirectory(at: target, withIntermediateDirectories: true) }
            try manager.createSymbolicLink(at: link, withDestinationURL: target)
            let server = try ZoneServer(configuration: .init(port: 0, storage: .directory(storage)))
            let error = await #expect(throws: ZoneServerError.self) { try await server.start() }
            #expect(error?.code == .storageUnavailable)
            let isMade = manager.fileExists(atPath: target.path)
            #expect(isMade ? try manager.contentsOfDirectory(atPath: target.path).isEmpty : true)
            #expect(isMade == isFolder)
        }
    }

    @Test("a link in the place of the folder for uploads on their way is removed, and what it leads to stays")
    func linkForUploads() async throws {
        try await withFolder { folder in
            let link = folder.appendingPathComponent("storage/assets/incoming")
            let target = folder.appendingPathComponent("target")
            for made in [link.deletingLastPathComponent(), target] {
                try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
            }
            try Data("kept".utf8).write(to: target.appendingPathComponent("file"))
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
            try await withServer({ $0.storage = .directory(folder.appendingPathComponent("storage")) }) { client, _ in
                try await client.makeZone()
                _ = try await client.upload([UInt8](repeating: 7, count: 1_000))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["file"])
            let type = try FileManager.default.attributesOfItem(atPath: link.path)[.type] as? FileAttributeType
            #expect(type == .typeDirectory)
        }
    }

    @Test("a second server on the same directory is refused, and the first goes on")
    func twoServers() async throws {
        try await withFolder { folder in
            try await withServer({ $0.storage = .directory(folder) }) { client, _ in
                let error = await #expect(throws: ZoneServerError.self) {
                    try await withServer({ $0.storage = .directory(folder) }) { _, _ in }
                }
                #expect(error?.code == .storageUnavailable)
                #expect(error?.message.contains("another server") == true)
                try await client.makeZone()
            }
        }
    }

    @Test("a storage from before stamps named devices opens with what it holds")
    func withoutDevices() async throws {
        try await withFolder { folder in
            try await withServer({ $0.storage = .directory(folder) }) { plain, _ in
                let client = plain.extended()
                try await client.makeZone()
                try await client.modify([create("A", ["n": .int64(1)])], device: "phone")
            }
            let file = try DatabaseQueue(path: folder.appendingPathComponent("zones.sqlite").path)
            try await file.write { db in
                try db.execute(sql: "ALTER TABLE record DROP COLUMN created_on")
                try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '3'")
            }
            try file.close()
            try await withServer({ $0.storage = .directory(folder) }) { plain, _ in
                let client = plain.extended()
                let old = try await client.lookup(["A"])[0].record()
                #expect(old.value("n") == .int64(1) && old.created?.deviceID == WireStamp.unnamedDevice)
                let made = try await client.modify([create("B")], device: "phone")[0].record()
                #expect(made.created?.deviceID == "phone")
            }
        }
    }

    @Test("a file that is no storage is refused and left as it is", arguments: ["text", "other", "newer"])
    func foreignFile(_ kind: String) async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appendingPathComponent("zones.sqlite")
            switch kind {
            case "text": try Data(String(repeating: "no database ", count: 100).utf8).write(to: file)
            case "other":
                let queue = try DatabaseQueue(path: file.path)
                try await queue.write { try $0.execute(sql: "CREATE TABLE mine (x)") }
                try queue.close()
            default:
                try await withServer({ $0.storage = .directory(folder) }) { _, _ in }
                let queue = try DatabaseQueue(path: file.path)
                try await queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99')") }
                try queue.close()
            }
            let before = try Data(contentsOf: file)
            let error = await #expect(throws: ZoneServerError.self) {
                try await withServer({ $0.storage = .directory(folder) }) { _, _ in }
            }
            #expect(error?.code == .storageFormat)
            #expect(try Data(contentsOf: file) == before)
        }
    }

    @Test("a storage whose database is away does not begin anew beside its assets", arguments: ["missing", "empty"])
    func lostDatabase(_ kind: String) async throws {
        try await withFolder { folder in
            let asset = folder.appendingPathComponent("assets/1/0f/asset")
            try await withServer({ $0.storage = .directory(folder) }) { _, _ in }
            try FileManager.default.createDirectory(
                at: asset.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("film".utf8).write(to: asset)
            let file = folder.appendingPathComponent("zones.sqlite")
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
            if kind == "empty" { try Data().write(to: file) }
            let error = await #expect(throws: ZoneServerError.self) {
                try await withServer({ $0.storage = .directory(folder) }) { _, _ in }
            }
            #expect(error?.code == .storageUnavailable && error?.message.contains(kind) == true, "\(error)")
            #expect(FileManager.default.fileExists(atPath: asset.path))
        }
    }

    @Test("closing takes every step, also after one that fails, and tells the first failure")
    func closing() throws {
        var taken: [Int] = []
        let error = #expect(throws: TestFailure.self) {
            try ZoneStorage.doAll([
                { taken.append(0) },
                {
                    taken.append(1)
                    throw TestFailure("first")
                },
                { throw TestFailure("second") }, { taken.append(3) },
            ])
        }
        #expect(taken == [0, 1, 3] && error?.description == "first")
    }

    @Test("a directory that cannot be made is a clear error")
    func unusable() async throws {
        let error = await #expect(throws: ZoneServerError.self) {
            try await withServer({ $0.storage = .directory(URL(fileURLWithPath: "/dev/null/x")) }) { _, _ in }
        }
        #expect(error?.code == .storageUnavailable)
    }

    @Test("a server runs once, and stops only when started")
    func states() async throws {
        let server = try ZoneServer(configuration: .init(port: 0, storage: .memory))
        await #expect(throws: ZoneServerError.self) { try await server.stop() }
        _ = try await server.start()
        #expect(server.url != nil)
        await #expect(throws: ZoneServerError.self) { try await server.run() }
        try await server.stop()
        #expect(server.url == nil)
        await #expect(throws: ZoneServerError.self) { try await server.run() }
    }

    @Test("a port that is taken is an error of start, not a server that hangs")
    func takenPort() async throws {
        try await withServer { client, _ in
            let port = try #require(URL(string: client.base)?.port)
            await #expect(throws: (any Error).self) {
                try await withServer({ $0.port = port }) { _, _ in }
            }
        }
    }

    @Test("run() ends when its task is cancelled")
    func cancellation() async throws {
        let server = try ZoneServer(configuration: .init(port: 0, storage: .memory))
        let task = Task { try await server.run() }
        #expect(try await eventually { server.url != nil })
        let client = TestClient(base: server.url?.absoluteString ?? "")
        try await client.makeZone()
        task.cancel()
        try await task.value
        #expect(server.url == nil)
    }
}
