import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// Tokens are for the user, the zone and the database that they were made for.
@Suite("tokens where they do not belong") struct TokenScopeTests {
    private let query = RecordQuery(recordType: "Item")

    /// A token of each kind, and how the wire takes it.
    private func tokens(_ client: TestClient) async throws -> [(kind: String, token: String)] {
        try await client.makeZone()
        try await client.modify((0..<3).map { create("r\($0)") })
        let page = try await client.page(limit: 1)
        let database: DatabaseChangesResponse = try await client.call(.changesDatabase)
        let marker = try await client.queryPage(query, limit: 1).continuationMarker
        return [
            ("zone", try #require(page.syncToken)), ("database", try #require(database.syncToken)),
            ("marker", try #require(marker)),
        ]
    }

    /// Gives a token back; throws the error that it meets.
    private func use(_ kind: String, _ token: String, _ client: TestClient, zone: String = "Z") async throws {
        switch kind {
        case "zone": _ = try await client.page(token, zone: zone)
        case "database":
            let _: DatabaseChangesResponse = try await client.call(
                .changesDatabase, DatabaseChangesRequest(syncToken: token))
        default: _ = try await client.queryPage(query, zone: zone, limit: 1, marker: token)
        }
    }

    @Test("no token passes with a bit that is another", arguments: StorageKind.allCases)
    func bits(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, _ in
            for (kind, token) in try await tokens(client) {
                try await use(kind, token, client)
                var data = Array(try #require(Data(base64Encoded: token)))
                for bit in 0..<data.count * 8 {
                    data[bit / 8] ^= 1 << (bit % 8)
                    let altered = Data(data).base64EncodedString()
                    await expectFailure(.badRequest) { try await use(kind, altered, client) }
                    data[bit / 8] ^= 1 << (bit % 8)
                }
            }
        }
    }

    @Test(
        "no token is taken for another user, zone, environment or container, nor as one of another kind",
        arguments: StorageKind.allCases)
    func elsewhere(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, _ in
            let tokens = try await tokens(client)
            try await client.makeZone("Y")
            try await client.save("r", zone: "Y")
            var others = [client.user("_bob")]
            var other = client
            other.environment = "production"
            others.append(other)
            other = client
            other.container = "iCloud.other"
            others.append(other)
            for other in others { _ = try await self.tokens(other) }
            for (kind, token) in tokens {
                for other in others { await expectFailure(.badRequest) { try await use(kind, token, other) } }
                if kind != "database" {
                    await expectFailure(.badRequest) { try await use(kind, token, client, zone: "Y") }
                }
                for (second, _) in tokens where second != kind {
                    await expectFailure(.badRequest) { try await use(second, token, client) }
                }
            }
        }
    }
}
