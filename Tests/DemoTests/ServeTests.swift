import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("the command that serves")
struct ServeTests {
    @Test("takes users and tokens that only read from the environment")
    func tokens() async throws {
        let folder = try TemporaryFolder()
        let server = try await ServerProcess(
            storage: folder.url.appending(path: "zones"),
            environment: ["BACKSTITCH_USERS": "ada:desk", "BACKSTITCH_READERS": "ada:wall bob:hall"])
        defer { server.process.stop() }
        #expect(try await makeZone("notes", "wall", at: server.url).contains("ACCESS_DENIED"))
        #expect(try await !makeZone("notes", "desk", at: server.url).contains("ACCESS_DENIED"))
        let existing = try await makeZone("notes", "wall", at: server.url)
        #expect(existing.contains("syncToken") && !existing.contains("ACCESS_DENIED"), "\(existing)")
        #expect(try await makeZone("notes", "hall", at: server.url).contains("ACCESS_DENIED"), "another user's zones")
        #expect(try await makeZone("notes", "unknown", at: server.url).contains("AUTHENTICATION_REQUIRED"))
    }

    @Test("names the variable that is not as it should be", arguments: ["BACKSTITCH_USERS", "BACKSTITCH_READERS"])
    func malformed(_ variable: String) async throws {
        let process = try CommandProcess(["serve", "--port", "0"], environment: [variable: "ada"])
        let (status, output) = await process.finish()
        #expect(status != 0)
        #expect(output.contains(variable) && output.contains("name:token"), "\(output)")
    }

    /// What the server answers to who asks for a zone.
    private func makeZone(_ name: String, _ token: String, at server: String) async throws -> String {
        let url = try #require(URL(string: "\(server)/database/1/iCloud.test/development/private/zones/modify"))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.httpBody = Data(
            #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"\#(name)"}}}]}"#.utf8)
        return String(decoding: try await URLSession.shared.data(for: request).0, as: UTF8.self)
    }
}
