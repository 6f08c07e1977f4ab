import Backstitch
import BackstitchSQL
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// Several servers on one database.
@Suite struct SharedStorageTests {
    /// Runs two servers on a database.
    private func withTwo(
        _ change: (inout ZoneServerConfiguration) -> Void = { _ in },
        _ body: (TestClient, TestClient) async throws -> Void
    ) async throws {
        try await StorageKind.postgreSQL.withPlace { place in
            try await withServer({
                $0.storage = place
                change(&$0)
            }) { first, _ in
                try await withServer({
                    $0.storage = place
                    change(&$0)
                }) { second, _ in try await body(first.extended(), second.extended()) }
            }
        }
    }

    @Test("what one server has acknowledged the other one has, and their tokens are the same")
    func together() async throws {
        try await withTwo { first, second in
            try await first.makeZone()
            let made = try await first.save("A", ["n": .int64(1)])
            let page = try await second.page()
            #expect(page.records == [made])
            let changed = try await second.save(.update, "A", tag: made.recordChangeTag, ["n": .int64(2)])
            #expect(try await first.page(page.syncToken).records == [changed])
            let stale = try await first.modify([operation(.update, "A", tag: made.recordChangeTag)])[0]
            #expect(stale.error?.code == .conflict)
        }
    }

    @Test("the same request at two servers at the same time is done once, and answered alike")
    func sameKey() async throws {
        try await withTwo { first, second in
            try await first.makeZone()
            for round in 0..<20 {
                let key = "k\(round)", name = "r\(round)"
                async let one = first.modify([create(name, ["n": .int64(1)])], key: key)
                async let other = second.modify([create(name, ["n": .int64(1)])], key: key)
                let (left, right) = try await (one[0].record(), other[0].record())
                #expect(left == right)
            }
            #expect(try await first.follow().records.count == 20)
        }
    }

    @Test("updates that compare change tags at two servers lose none")
    func compareAndSwap() async throws {
        try await withTwo { first, second in
            try await first.makeZone()
            try await first.save("counter", ["n": .int64(0)])
            let writers = [first, second, first, second], increments = 10
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in writers {
                    group.addTask {
                        for _ in 0..<increments {
                            var isSaved = false
                            while !isSaved {
                                let record = try await client.lookup(["counter"])[0].record()
                                guard case .int64(let n)? = record.value("n") else { throw TestFailure("no number") }
                                let result = try await client.modify([
                                    operation(.update, "counter", tag: record.recordChangeTag, ["n": .int64(n + 1)])
                                ])[0]
                                if let error = result.error, error.code != .conflict { throw error }
                                isSaved = result.error == nil
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let counter = try await second.lookup(["counter"])[0].record()
            #expect(counter.value("n") == .int64(Int64(writers.count * increments)))
        }
    }

    @Test("users who come to two servers at the same time get zones of their own")
    func newUsers() async throws {
        try await withTwo { first, second in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<24 {
                    group.addTask {
                        let client = (number % 2 == 0 ? first : second).user("user\(number / 2)")
                        try await client.makeZone()
                        try await client.save("r\(number % 2)")
                    }
                }
                try await group.waitForAll()
            }
            for number in 0..<12 {
                let names = try await first.user("user\(number)").follow().records.map(\.recordName)
                #expect(Set(names) == ["r0", "r1"])
            }
        }
    }

    @Test("a database that was put back begins another history when it is told so")
    func restored() async throws {
        try await StorageKind.postgreSQL.withPlace { place in
            let known = Locked<(token: String?, tag: String?)>((nil, nil))
            try await withServer({ $0.storage = place }) { plain, _ in
                let client = plain.extended()
                try await client.makeZone()
                let tag = try await client.save("A").recordChangeTag
                let token = try await client.page().syncToken
                known.withLock { $0 = (token, tag) }
            }
            let (token, tag) = known.withLock { $0 }
            // It has not gone back by itself.
            try await withServer({ $0.storage = place }) { plain, _ in
                let page = try await plain.extended().page(token)
                #expect(page.records.isEmpty)
            }
            try await withServer({
                $0.storage = place
                $0.isRestored = true
            }) { plain, _ in
                let client = plain.extended()
                let error = await expectFailure(.badRequest) { try await client.page(token) }
                #expect(error?.reason == WireError.expiredTokenReason)
                let later = try #require(try await client.save("B").recordChangeTag.flatMap { ChangeTag($0) })
                #expect(try #require(tag.flatMap { ChangeTag($0) }) < later)
            }
        }
    }

    @Test("a database of a newer version is refused, unless the older one can go on without what is new")
    func newer() async throws {
        for (step, isRefused) in [("99", true), ("+99", false)] {
            let source = try StorageKind.source(schema: "zones_\(UUID().uuidString.lowercased())")
            try await withFolder { folder in
                let place = ZoneServerConfiguration.Storage.database(source, assets: folder)
                try await withServer({ $0.storage = place }) { client, _ in _ = try await client.makeZone() }
                let database = try source.open()
                try database.transact { connection in
                    _ = try ZoneTransaction(connection).execute(
                        "INSERT INTO schema_step (identifier) VALUES (\(step))")
                }
                try database.close()
                let open = { try await withServer({ $0.storage = place }) { client, _ in _ = try await client.page() } }
                guard isRefused else { return try await open() }
                let error = await #expect(throws: ZoneServerError.self) { try await open() }
                #expect(error?.code == .storageFormat)
            }
        }
    }
}
