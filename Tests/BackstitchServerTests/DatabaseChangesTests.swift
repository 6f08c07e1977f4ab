import CloudWire
import Testing

@testable import BackstitchServer

@Suite struct DatabaseChangesTests {
    private func changes(_ client: TestClient, _ token: String? = nil, limit: Int? = nil) async throws
        -> DatabaseChangesResponse
    {
        try await client.call(.changesDatabase, DatabaseChangesRequest(syncToken: token, resultsLimit: limit))
    }

    private func names(_ response: DatabaseChangesResponse) -> [String] {
        response.zones.compactMap { if case .zone(let zone) = $0 { zone.zoneID.zoneName } else { nil } }
    }

    @Test("changed zones are told, oldest change first, and nothing twice")
    func feed() async throws {
        try await withServer { client, _ in
            let start = try await changes(client)
            #expect(start.zones.isEmpty)
            for name in ["A", "B", "C"] { try await client.makeZone(name) }
            let made = try await changes(client, start.syncToken)
            #expect(names(made) == ["A", "B", "C"])
            #expect(!made.moreComing)
            try await client.save("x", zone: "A")
            let changed = try await changes(client, made.syncToken)
            #expect(names(changed) == ["A"])
            #expect(try await changes(client, changed.syncToken).zones.isEmpty)
            #expect(names(try await changes(client)) == ["B", "C", "A"])
        }
    }

    @Test("pages go through all zones")
    func pages() async throws {
        try await withServer { client, _ in
            for index in 0..<5 { try await client.makeZone("Z\(index)") }
            var token: String?
            var seen: [String] = []
            while true {
                let page = try await changes(client, token, limit: 2)
                #expect(page.zones.count <= 2)
                seen += names(page)
                token = page.syncToken
                if !page.moreComing { break }
            }
            #expect(seen == (0..<5).map { "Z\($0)" })
        }
    }

    @Test("a deleted zone is told as deleted, with the reason for those who ask for extensions")
    func deletion() async throws {
        try await withServer { client, server in
            for name in ["A", "B"] { try await client.makeZone(name) }
            let before = try await changes(client).syncToken
            _ = try await client.call(
                .zonesModify, ZonesModifyRequest(operations: [.init(.delete, ZoneID(zoneName: "A"))]),
                as: ZonesResponse.self)
            try await server.purge(user: "_development", container: "iCloud.test", environment: "development")
            let plain = try await client.raw(.changesDatabase, "{\"syncToken\":\"\(before ?? "")\"}")
            #expect(!plain.text.contains("deletedReason"))
            let told = try await changes(client.extended(), before)
            let infos = told.zones.compactMap { if case .zone(let zone) = $0 { zone } else { nil } }
            #expect(infos.map(\.deleted) == [true, true])
            #expect(infos.map(\.deletedReason) == [.deleted, .purged])
            #expect(infos.map(\.syncToken) == [nil, nil])
        }
    }

    @Test("zones/changes answers with both names of the token and takes both")
    func olderForm() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let answer = try await client.raw(.zonesChanges, "{}")
            #expect(answer.text.contains("\"metaSyncToken\""))
            let response = try DatabaseChangesResponse(wireJSON: answer.body)
            let token = try #require(response.syncToken)
            for key in ["syncToken", "metaSyncToken"] {
                let next = try await client.raw(.zonesChanges, "{\"\(key)\":\"\(token)\"}")
                #expect(try DatabaseChangesResponse(wireJSON: next.body).zones.isEmpty)
            }
            #expect(try await !client.raw(.changesDatabase, "{}").text.contains("metaSyncToken"))
        }
    }

    @Test("the public database has no feed, and the shared one an empty one")
    func otherDatabases() async throws {
        try await withServer { client, _ in
            let error = await expectFailure(.badRequest) { try await changes(client.on("public")) }
            #expect(error?.reason == "endpoint not applicable in the database type 'publicdb'")
            let shared = try await changes(client.on("shared"))
            #expect(shared.zones.isEmpty)
        }
    }
}
