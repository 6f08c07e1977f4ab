import BackstitchTestKit
import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("changes of the public database that queries are about") struct QueryChangesTests {
    /// Runs `body` with clients of the public database: two users, and a caller without a name.
    private func withUsers(
        on kind: StorageKind = .directory, _ change: @escaping (inout ZoneServerConfiguration) -> Void = { _ in },
        _ body: (_ alice: TestClient, _ bob: TestClient, _ world: TestClient, _ server: ZoneServer) async throws -> Void
    ) async throws {
        try await withServer(
            on: kind,
            {
                $0.apiTokens = [TokenDigest(of: strong("api"))]
                $0.users = ["alice", "bob"].map { .init(userRecordName: "_\($0)", webAuthToken: strong($0)) }
                change(&$0)
            }
        ) { client, server in
            var world = client.on("public").extended()
            world.query = "ckAPIToken=\(strong("api"))"
            var alice = world, bob = world
            alice.bearer = strong("alice")
            bob.bearer = strong("bob")
            try await body(alice, bob, world, server)
        }
    }

    private static let small = RecordQuery(recordType: "Item", filterBy: [.init("rank", .lessThan, .int64(10))])

    private func save(_ client: TestClient, _ name: String, rank: Int64) async throws {
        try await client.save(.forceUpdate, name, ["rank": .int64(rank)], zone: nil)
    }

    @Test(
        "a follower hears of what fits, what fits no more, and what is gone, from the token on",
        arguments: StorageKind.allCases)
    func follows(_ kind: StorageKind) async throws {
        try await withUsers(on: kind) { alice, bob, world, _ in
            // Before the first record there is a token too.
            let beginning = try await world.changes(of: [Self.small])
            #expect(beginning.records.isEmpty && !beginning.moreComing)
            try await save(alice, "a", rank: 1)
            try await save(alice, "b", rank: 2)
            try await save(alice, "c", rank: 30)
            let first = try await world.changes(of: [Self.small], after: beginning.syncToken)
            #expect(first.records.map(\.recordName) == ["a", "b"])
            #expect(first.records[0].value("rank") == .int64(1) && first.unmatched == ["c"])
            // Without a token, earlier changes are not reported.
            let now = try await bob.changes(of: [Self.small])
            #expect(now.records.isEmpty && now.syncToken == first.syncToken)
            try await save(alice, "a", rank: 11)
            try await save(alice, "c", rank: 3)
            try await alice.save(.forceDelete, "b", zone: nil)
            let next = try await world.changes(of: [Self.small], after: first.syncToken)
            #expect(next.records.map(\.recordName) == ["c", "b"])
            #expect(next.records.map(\.deleted) == [false, true] && next.unmatched == ["a"])
            let last = try await world.changes(of: [Self.small], after: next.syncToken)
            #expect(last.records.isEmpty && last.unmatched.isEmpty && last.syncToken == next.syncToken)
            // A token from before the first record stays valid.
            let again = try await world.changes(of: [Self.small], after: beginning.syncToken)
            #expect(again.records.map(\.recordName) == ["c", "b"])
        }
    }

    @Test(
        "a name that was deleted comes back under its type only, so that followers of the type hear of each deletion",
        arguments: StorageKind.allCases)
    func typeStays(_ kind: StorageKind) async throws {
        try await withUsers(on: kind) { alice, bob, _, _ in
            try await save(alice, "x", rank: 1)
            let token = try await bob.changes(of: [Self.small]).syncToken
            try await alice.save(.forceDelete, "x", zone: nil)
            for kind in [RecordOperation.Kind.create, .forceUpdate, .forceReplace] {
                let made = RecordOperation(kind, WireRecord(recordName: "x", recordType: "Task"))
                let error = try await alice.modify([made], zone: nil)[0].error
                #expect(error?.code == .badRequest && error?.reason.contains("'x' was of another type") == true)
            }
            let news = try await bob.changes(of: [Self.small], after: token)
            #expect(news.records.map(\.recordName) == ["x"] && news.records.map(\.deleted) == [true])
            try await save(alice, "x", rank: 2)
            #expect(try await bob.changes(of: [Self.small], after: token).records.map(\.deleted) == [false])
        }
    }

    @Test("records of types that nobody asked for, and those that the caller may not read, are not named")
    func rights() async throws {
        try await withUsers({ configuration in
            let isSet =
                configuration.publicRoles.set("Diary:_icloud=create;_creator=write")
                && configuration.publicRoles.set("Secret:_icloud=create")
            #expect(isSet)
        }) { alice, bob, world, _ in
            func make(_ client: TestClient, _ name: String, _ type: String) async throws {
                let record = WireRecord(recordName: name, recordType: type, fields: ["title": .string("x")])
                #expect(try await client.modify([RecordOperation(.create, record)], zone: nil)[0].error == nil)
            }
            let diary = RecordQuery(recordType: "Diary")
            let token = try await alice.changes(of: [diary]).syncToken
            try await make(alice, "of Alice", "Diary")
            try await make(bob, "of Bob", "Diary")
            try await make(alice, "item", "Item")
            try await make(alice, "secret", "Secret")
            #expect(try await alice.changes(of: [diary], after: token).records.map(\.recordName) == ["of Alice"])
            #expect(try await bob.changes(of: [diary], after: token).records.map(\.recordName) == ["of Bob"])
            for (client, query) in [(world, diary), (alice, RecordQuery(recordType: "Secret"))] {
                let error = await #expect(throws: WireError.self) {
                    try await client.changes(of: [query], after: token)
                }
                #expect(error?.code == .accessDenied)
            }
            try await alice.save(.forceDelete, "of Alice", zone: nil)
            try await alice.save(.forceDelete, "item", zone: nil)
            let told = try await alice.changes(of: [diary], after: token)
            #expect(told.records.map(\.recordName) == ["of Alice"] && told.records[0].deleted)
            let others = try await bob.changes(of: [diary], after: token)
            #expect(others.records.map(\.recordName) == ["of Bob"] && others.unmatched.isEmpty)
        }
    }

    @Test("pages end where the caller asks, or after so many looks, and nothing is told twice or left out")
    func pages() async throws {
        try await withUsers { alice, _, world, _ in
            let token = try await world.changes(of: [Self.small]).syncToken
            for part in 0..<6 {
                let operations = (0..<100).map {
                    operation(.create, "r\(part * 100 + $0)", ["rank": .int64($0 % 2 == 0 ? 5 : 50)])
                }
                #expect(try await alice.modify(operations, zone: nil).allSatisfy { $0.error == nil })
            }
            var found: [String] = [], unmatched: [String] = [], cursor = token, requests = 0, isOver = false
            while !isOver {
                let page = try await world.changes(of: [Self.small], after: cursor, limit: 40)
                // A commit is not cut.
                #expect(page.records.count <= 50)
                found += page.records.map(\.recordName)
                unmatched += page.unmatched
                requests += 1
                isOver = !page.moreComing
                cursor = page.syncToken
            }
            #expect(found.count == 300 && Set(found).count == 300)
            #expect(unmatched.count == 300 && Set(unmatched).count == 300)
            #expect(requests == 6)
            // Fifty queries of eleven filters make a page of few records.
            let many = Array(
                repeating: RecordQuery(
                    recordType: "Item", filterBy: Array(repeating: .init("rank", .greaterThan, .int64(99)), count: 11)),
                count: 50)
            let costly = try await world.changes(of: many, after: token)
            #expect(costly.moreComing && costly.records.isEmpty && costly.unmatched.count == 100)
        }
    }

    @Test("a token that has ended, another database's, no query and too many are refused, and say why")
    func refused() async throws {
        try await withUsers { alice, _, world, server in
            try await save(alice, "a", rank: 1)
            let token = try await world.changes(of: [Self.small]).syncToken
            func error(_ queries: [RecordQuery], _ token: String?, _ client: TestClient) async throws -> WireError? {
                await #expect(throws: WireError.self) { try await client.changes(of: queries, after: token) }
            }
            #expect(try await error([], token, world)?.reason.contains("0 queries, 1 to 50") == true)
            let many = Array(repeating: Self.small, count: 51)
            #expect(try await error(many, token, world)?.reason.contains("limit exceeded: 51 queries") == true)
            #expect(try await error([Self.small], "bm9uZQ==", world)?.reason == "Invalid continuation format")
            let privately = try await error([Self.small], token, alice.on("private"))
            #expect(privately?.reason == "endpoint not applicable in the database type 'privatedb'")
            let odd = RecordQuery(recordType: "Item", filterBy: [.init("rank", .isIn, .int64(1))])
            #expect(try await error([odd], token, world)?.reason.contains("'rank'") == true)
            try await server.invalidateSyncTokens()
            #expect(try await error([Self.small], token, world)?.reason == "sync token expired")
            var production = world
            production.environment = "production"
            #expect(try await error([Self.small], nil, production)?.reason.contains("not marked queryable") == true)
        }
    }

    @Test("deletions that were forgotten end the tokens of those who have not read them")
    func forgotten() async throws {
        let clock = VirtualClock()
        try await withUsers({
            $0.clock = clock
            $0.tombstoneRetention = 60
        }) { alice, _, world, server in
            let beginning = try await world.changes(of: [Self.small]).syncToken
            try await save(alice, "a", rank: 1)
            let token = try await world.changes(of: [Self.small]).syncToken
            try await alice.save(.forceDelete, "a", zone: nil)
            let read = try await world.changes(of: [Self.small], after: token)
            #expect(read.records.map(\.deleted) == [true])
            clock.advance(by: 120_000)
            try await server.cleanUp()
            for old in [token, beginning] {
                let error = await #expect(throws: WireError.self) {
                    try await world.changes(of: [Self.small], after: old)
                }
                #expect(error?.reason == "sync token expired")
            }
            #expect(try await world.changes(of: [Self.small], after: read.syncToken).records.isEmpty)
        }
    }
}

extension TestClient {
    /// A page of `changes/query`.
    @discardableResult
    fileprivate func changes(
        of queries: [RecordQuery], after token: String? = nil, limit: Int? = nil
    ) async throws -> QueryChangesResponse {
        try await call(.changesQuery, QueryChangesRequest(queries: queries, syncToken: token, resultsLimit: limit))
    }
}
