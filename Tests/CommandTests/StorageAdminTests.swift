import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `backstitch admin` as operators run it. The server's own tests check its parts.
@Suite("the command that looks after a storage", .serialized)
struct StorageAdminTests {
    private func admin(_ arguments: String...) async throws -> TestProcess.Outcome {
        try await TestProcess("backstitch", ["admin"] + arguments, errors: .withOutput).ended()
    }

    private func post(_ url: String, _ body: String) async throws -> String {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
        return String(decoding: try await URLSession.shared.data(for: request).0, as: UTF8.self)
    }

    /// A zone, and in it a record with an asset.
    private func fill(_ server: String) async throws {
        let base = "\(server)/database/1/iCloud.test/development/private"
        _ = try await post(
            "\(base)/zones/modify",
            #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#)
        let address = try await post(
            "\(base)/assets/upload",
            #"{"zoneID":{"zoneName":"Z"},"tokens":[{"recordName":"A","recordType":"Item","fieldName":"file"}]}"#)
        let url = try #require(try part(address, "url"))
        let receipt = try await post(url, "the bytes of an asset")
        let asset = try #require(receipt.firstMatch(of: /"singleFile":(\{[^}]*\})/)?.output.1)
        let saved = try await post(
            "\(base)/records/modify",
            """
            {"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"create","record":{"recordName":"A",
            "recordType":"Item","fields":{"file":{"value":\(asset)}}}}]}
            """)
        #expect(saved.contains("recordChangeTag"), "\(saved)")
    }

    private func part(_ json: String, _ name: String) throws -> String? {
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        let first = (object?["tokens"] as? [[String: Any]])?.first
        return first?[name] as? String
    }

    @Test("counts, checks, backs up and restores a folder, and leaves one alone that a server has")
    func folder() async throws {
        let folder = try TemporaryFolder()
        func path(_ name: String) -> String { folder.url.appending(path: name).path }
        let server = try ServerProcess(storage: URL(filePath: path("zones")))
        try await fill(server.url)
        let status = try await admin("status", "--storage", path("zones"), "--json")
        #expect(status.status == 0, "\(status.output)")
        #expect(status.output.contains(#""name" : "iCloud.test/development""#), "\(status.output)")
        let text = try await admin("status", "--database", "sqlite:\(path("zones"))")
        #expect(
            text.output.contains("1 records, 0 deletions") && text.output.contains("_development"), "\(text.output)")
        #expect(try await admin("backup", "--storage", path("zones"), path("backup")).status == 0)
        let refused = try await admin("purge", "--storage", path("zones"))
        #expect(refused.status == 1 && refused.output.contains("another server uses"), "\(refused.output)")
        server.process.stop()
        #expect(try await admin("purge", "--storage", path("zones")).output.contains("removed 0 deletions"))

        let restored = try await admin("restore", "--storage", path("again"), path("backup"))
        #expect(restored.status == 0, "\(restored.output)")
        let verified = try await admin("verify", "--storage", path("again"), "--hashes")
        #expect(verified.status == 0 && verified.output.contains("no faults; 1 contents"), "\(verified.output)")
        let over = try await admin("restore", "--storage", path("again"), path("backup"))
        #expect(over.status == 1 && over.output.contains("has a storage already"), "\(over.output)")

        let files = try #require(FileManager.default.enumerator(atPath: path("again/assets")))
        for case let name as String in files where name.split(separator: "/").count == 3 {
            try FileManager.default.removeItem(atPath: path("again/assets/\(name)"))
        }
        let broken = try await admin("verify", "--storage", path("again"))
        #expect(broken.status == 1, "\(broken.output)")
        #expect(broken.output.contains("missingContent: iCloud.test/development"), "\(broken.output)")
        let nowhere = try await admin("verify", "--storage", path("nothing"))
        #expect(nowhere.status == 1 && nowhere.output.contains("no zones.sqlite"), "\(nowhere.output)")
        #expect(try await admin("status").output.contains("which storage?"))
    }

    @Test("moves a folder's storage to PostgreSQL, where it is served, and back")
    func moved() async throws {
        let folder = try TemporaryFolder()
        func path(_ name: String) -> String { folder.url.appending(path: name).path }
        let server = try ServerProcess(storage: URL(filePath: path("zones")))
        try await fill(server.url)
        server.process.stop()
        let postgres = try PostgresServer.shared.get(), name = "moved_\(UUID().uuidString.prefix(8).lowercased())"
        _ = try postgres.sql("CREATE DATABASE \(name)")
        let url = postgres.url(database: name)
        let there = try await admin(
            "copy", "--from", "sqlite:\(path("zones"))", "--to", url.absoluteString, "--assets", path("shared"))
        #expect(there.status == 0, "\(there.output)")
        #expect(
            there.output.contains("record: 1\n") && there.output.contains("no faults; 1 contents"), "\(there.output)")
        let node = try ServerProcess(database: url, assets: URL(filePath: path("shared")))
        let changes = try await post(
            "\(node.url)/database/1/iCloud.test/development/private/changes/zone",
            #"{"zones":[{"zoneID":{"zoneName":"Z"}}]}"#)
        #expect(changes.contains(#""recordName":"A""#), "\(changes)")
        node.process.stop()
        let back = try await admin(
            "copy", "--from", url.absoluteString, "--to", "sqlite:\(path("back"))", "--assets", path("shared"))
        #expect(back.status == 0, "\(back.output)")
        #expect(try await admin("verify", "--storage", path("back"), "--hashes").status == 0)
    }
}
