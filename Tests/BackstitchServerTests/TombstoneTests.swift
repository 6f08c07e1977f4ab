import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import GRDB
import Testing

@Suite("Deletions that are forgotten")
struct TombstoneTests {
    private let clock = VirtualClock()

    /// A server that tells deletions for a hundred seconds.
    private func withForgetful(
        on kind: StorageKind = .directory, _ body: (TestClient, ZoneServer) async throws -> Void
    ) async throws {
        try await withServer(
            on: kind,
            {
                $0.clock = clock
                $0.tombstoneRetention = 100
            }
        ) { client, server in
            try await client.makeZone()
            try await body(client, server)
        }
    }

    private func forget(_ server: ZoneServer) async throws {
        clock.advance(by: 101 * 1_000)
        try await server.cleanUp()
    }

    private func isRefused(_ token: String?, _ client: TestClient) async throws -> Bool {
        do {
            _ = try await client.page(token)
            return false
        } catch let error as WireError {
            #expect(error.code == .badRequest && error.reason == "sync token expired")
            return true
        }
    }

    @Test(
        "a deletion is told for its time; then a token from before it is refused, and one from after it is not",
        arguments: StorageKind.allCases)
    func retention(_ kind: StorageKind) async throws {
        try await withForgetful(on: kind) { client, server in
            try await client.save("A")
            try await client.save("B")
            let before = try await client.follow().token
            try await client.save(.forceDelete, "A")
            let after = try await client.follow(before)
            #expect(after.records.map(\.recordName) == ["A"] && after.records[0].deleted)
            clock.advance(by: 99 * 1_000)
            try await server.cleanUp()
            #expect(try await client.follow(before).records.map(\.recordName) == ["A"])
            try await forget(server)
            #expect(try await isRefused(before, client))
            #expect(try await client.follow(after.token).records.isEmpty)
            try await client.save("C")
            #expect(try await client.follow(after.token).records.map(\.recordName) == ["C"])
            #expect(Set(try await client.follow().records.map(\.recordName)) == ["B", "C"])
        }
    }

    @Test("who begins from nothing reads page by page over what is forgotten, unless more is forgotten on the way")
    func fromNothing() async throws {
        try await withForgetful { client, server in
            for name in ["A", "B", "C", "D"] { try await client.save(name) }
            try await client.save(.forceDelete, "D")
            try await forget(server)
            #expect(try await client.follow(limit: 1).records.map(\.recordName) == ["A", "B", "C"])
            let first = try await client.page(limit: 1)
            #expect(first.moreComing)
            #expect(try await client.follow(first.syncToken, limit: 1).records.map(\.recordName) == ["B", "C"])
            // A record known to the client is deleted, and the deletion is forgotten before the client hears of it.
            try await client.save(.forceDelete, "A")
            try await forget(server)
            #expect(try await isRefused(first.syncToken, client))
            #expect(try await client.follow(limit: 1).records.map(\.recordName) == ["B", "C"])
            let newest = try await client.page(limit: 1, reverse: true)
            #expect(newest.records.map(\.recordName) == ["C"])
            let older = try await client.page(newest.syncToken, reverse: true)
            #expect(older.records.map(\.recordName) == ["B"])
        }
    }

    @Test("a record of a forgotten name is a new one: who remembers the old one changes nothing of it")
    func madeAgain() async throws {
        try await withForgetful { client, server in
            let old = try await client.save("A", ["n": .int64(1)])
            try await client.save(.forceDelete, "A")
            try await forget(server)
            #expect(try await client.lookup(["A"])[0].error?.code == .notFound)
            let update = try await client.modify([
                operation(.update, "A", tag: old.recordChangeTag, ["n": .int64(2)])
            ])
            #expect(update[0].error?.code == .notFound)
            let new = try await client.save("A", ["n": .int64(3)])
            #expect(new.recordChangeTag != old.recordChangeTag)
            for kind in [RecordOperation.Kind.update, .delete] {
                let answer = try await client.modify([operation(kind, "A", tag: old.recordChangeTag)])
                #expect(answer[0].error?.code == .conflict)
            }
            #expect(try await client.lookup(["A"])[0].record().value("n") == .int64(3))
        }
    }

    @Test("each zone forgets for itself, any number of deletions")
    func zones() async throws {
        try await withForgetful { client, server in
            try await client.makeZone("Other")
            try await client.save("A", zone: "Other")
            let other = try await client.follow(zone: "Other").token
            for start in stride(from: 0, to: 1_200, by: 200) {
                let names = (start..<start + 200).map { "r\($0)" }
                try await client.modify(names.map { create($0) })
                try await client.modify(names.map { operation(.forceDelete, $0) })
            }
            let before = try await client.follow().token
            try await client.save("A")
            try await client.save(.forceDelete, "A")
            try await forget(server)
            #expect(try await isRefused(before, client))
            #expect(try await client.follow(other, zone: "Other").records.isEmpty)
            #expect(try await client.follow().records.isEmpty)
        }
    }

    @Test("a storage of an earlier version is taken on, and its tokens hold")
    func earlierStorage() async throws {
        try await withFolder { folder in
            let token = Locked<String?>(nil)
            try await withServer({ $0.storage = .directory(folder) }) { client, _ in
                try await client.makeZone()
                try await client.save("A")
                let last = try await client.follow().token
                token.withLock { $0 = last }
            }
            let queue = try DatabaseQueue(path: folder.appendingPathComponent("zones.sqlite").path)
            try await queue.write { db in
                try db.execute(sql: "ALTER TABLE zone DROP COLUMN floor")
                try db.execute(sql: "DROP INDEX record_deleted")
                try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '2'")
            }
            try queue.close()
            try await withServer({ $0.storage = .directory(folder) }) { client, _ in
                try await client.save("B")
                let last = token.withLock { $0 }
                #expect(try await client.follow(last).records.map(\.recordName) == ["B"])
            }
        }
    }
}
