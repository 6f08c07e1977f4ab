import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// Refused queries, and callers with a limited sight.
@Suite struct QueryRefusalTests {
    @Test("a query that makes no sense is refused, and tells which field")
    func badInput() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.save("a", ["n": .int64(1)])
            let many = (0..<300).map { Int64($0) }
            let filters: [(QueryFilter, String)] = [
                (QueryFilter("n", .isIn, .int64(1)), "n"), (QueryFilter("n", .equals, .int64List([1])), "n"),
                (QueryFilter("n", .beginsWith, .int64(1)), "n"), (QueryFilter("n", .near, .int64(1)), "n"),
                (QueryFilter("p", .near, .location(WireLocation(latitude: 1, longitude: 1))), "p"),
                (QueryFilter("p", .near, .location(WireLocation(latitude: 91, longitude: 1)), distance: 1), "p"),
                (QueryFilter("p", .lessThan, .location(WireLocation(latitude: 1, longitude: 1))), "p"),
                (QueryFilter("t", .containsAllTokens, .string("?!")), "t"),
                (QueryFilter("n", .isIn, .int64List(many)), "limit exceeded"),
                (QueryFilter("f", .equals, .asset(WireAsset(fileChecksum: "x", size: 1))), "f"),
                (QueryFilter("'; DROP TABLE record; --", .equals, .int64(1)), "field name"),
                (QueryFilter("___nothing", .equals, .int64(1)), "___nothing"),
                (QueryFilter(systemFieldName: "title", .equals, .int64(1)), "title"),
            ]
            for (filter, text) in filters {
                let error = await expectFailure(.badRequest) {
                    try await client.queryPage(RecordQuery(recordType: "Item", filterBy: [filter]))
                }
                #expect(error?.reason.contains(text) == true, "\(filter): \(error?.reason ?? "")")
            }
            var both = QueryFilter("n", .equals, .int64(1))
            both.systemFieldName = "recordName"
            let queries = [
                RecordQuery(recordType: ""), RecordQuery(recordType: "a b"),
                RecordQuery(recordType: "Item", filterBy: [both]),
                RecordQuery(
                    recordType: "Item", filterBy: Array(repeating: QueryFilter("n", .equals, .int64(1)), count: 17)),
                RecordQuery(recordType: "Item", sortBy: ["a", "b", "c", "d"].map { QuerySort($0) }),
                RecordQuery(
                    recordType: "Item",
                    sortBy: [QuerySort("p", relativeLocation: WireLocation(latitude: 0, longitude: 999))]),
            ]
            for query in queries { await expectFailure(.badRequest) { try await client.queryPage(query) } }
            let all = RecordQuery(recordType: "Item")
            await expectFailure(.badRequest) { try await client.queryPage(all, limit: 0) }
            await expectFailure(.zoneNotFound) { try await client.queryPage(all, zone: "None") }
            await expectFailure(.badRequest) { try await client.on("shared").queryPage(all, zone: nil) }
            #expect(try await client.query(RecordQuery(recordType: "Unknown")).isEmpty)
            #expect(try await client.query(all, zone: nil).isEmpty)
        }
    }

    @Test("a marker is worth something for its own query, caller and zone, and nothing when it was altered")
    func markers() async throws {
        try await withServer { client, _ in
            let alice = client.user("alice"), bob = client.user("bob")
            for user in [alice, bob] {
                try await user.makeZone()
                for number in 0..<3 { try await user.save("r\(number)", ["n": .int64(1)]) }
            }
            let query = RecordQuery(recordType: "Item", filterBy: [QueryFilter("n", .equals, .int64(1))])
            let marker = try #require(try await alice.queryPage(query, limit: 1).continuationMarker)
            #expect(try await alice.queryPage(query, limit: 5, marker: marker, desiredKeys: []).records.count == 2)
            var other = query
            other.sortBy = [QuerySort("n")]
            await expectFailure(.badRequest) { try await alice.queryPage(other, marker: marker) }
            await expectFailure(.badRequest) { try await bob.queryPage(query, marker: marker) }
            await expectFailure(.badRequest) { try await alice.queryPage(query, zone: nil, marker: marker) }
            for text in [
                "x", "AAAA", String(marker.dropFirst(4)), marker + "AAAA", String(repeating: "A", count: 10_000),
            ] {
                await expectFailure(.badRequest) { try await alice.queryPage(query, marker: text) }
            }
            for place in stride(from: 0, to: marker.count - 4, by: 5) {
                let index = marker.index(marker.startIndex, offsetBy: place)
                let altered = marker.replacingCharacters(in: index...index, with: marker[index] == "A" ? "B" : "A")
                await expectFailure(.badRequest) { try await alice.queryPage(query, marker: altered) }
            }
        }
    }

    @Test("production is queried by the fields that are declared, and by those that every record has")
    func production() async throws {
        try await withServer({ $0.queryIndexes["Item"] = ["title", "rank"] }) { client, _ in
            var client = client
            client.environment = "production"
            try await client.makeZone()
            try await client.save("a", ["title": .string("x"), "secret": .string("y")])
            func query(_ filter: QueryFilter, _ sorts: [QuerySort] = []) -> RecordQuery {
                RecordQuery(recordType: "Item", filterBy: [filter], sortBy: sorts)
            }
            let title = QueryFilter("title", .equals, .string("x"))
            #expect(try await client.query(query(title, [QuerySort("rank")])).count == 1)
            let name = QueryFilter(systemFieldName: "recordName", .equals, .string("a"))
            #expect(try await client.query(query(name, [QuerySort(systemFieldName: "createdTimestamp")])).count == 1)
            let filtered = await expectFailure(.badRequest) {
                try await client.queryPage(query(QueryFilter("secret", .notEquals, .string("y"))))
            }
            #expect(filtered?.reason == "Field 'secret' is not marked queryable")
            let sorted = await expectFailure(.badRequest) {
                try await client.queryPage(query(title, [QuerySort("secret")]))
            }
            #expect(sorted?.reason == "Field 'secret' is not marked sortable")
        }
    }

    @Test("in the public database a query shows what the caller may read")
    func roles() async throws {
        try await withServer({
            $0.apiTokens = [TokenDigest(of: strong("api"))]
            $0.users = ["alice", "bob"].map { .init(userRecordName: "_\($0)", webAuthToken: strong($0)) }
            $0.publicRoles["Item"] = .init(world: [], signedIn: .create, creator: [.read, .write])
        }) { client, _ in
            var world = client.on("public")
            world.query = "ckAPIToken=\(strong("api"))"
            var alice = world, bob = world
            alice.bearer = strong("alice")
            bob.bearer = strong("bob")
            try await alice.save("of alice", zone: nil)
            try await bob.save("of bob", zone: nil)
            let other = RecordOperation(.create, WireRecord(recordName: "news", recordType: "News"))
            try await alice.modify([other], zone: nil)
            let items = RecordQuery(recordType: "Item"), news = RecordQuery(recordType: "News")
            #expect(try await alice.query(items, zone: nil).map(\.recordName) == ["of alice"])
            #expect(try await bob.query(items, zone: nil).map(\.recordName) == ["of bob"])
            await expectFailure(.accessDenied) { try await world.queryPage(items, zone: nil) }
            #expect(try await world.query(news, zone: nil).map(\.recordName) == ["news"])
        }
    }
}
