import BackstitchSupport
import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

/// Answers in pages, and changes of others between them.
@Suite struct QueryPagingTests {
    private func ranked(_ count: Int) -> [RecordOperation] {
        (0..<count).map {
            operation(.create, "r\($0)", ["rank": .int64(Int64($0 % 10)), "even": .int64(Int64($0 % 2))])
        }
    }

    private let byRank = RecordQuery(
        recordType: "Item", filterBy: [QueryFilter("even", .equals, .int64(0))], sortBy: [QuerySort("rank")])

    @Test("records that stay as they are come once, whoever writes between the pages", arguments: StorageKind.allCases)
    func concurrentWrites(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, _ in
            try await client.makeZone()
            try await client.modify(ranked(100))
            let isDone = Locked(false)
            // The odd ones move about in the order, come and go.
            async let writer: Void = {
                var round: Int64 = 0
                while !isDone.withLock({ $0 }) {
                    round += 1
                    let name = "r\(2 * (round % 50) + 1)"
                    try await client.save(.forceUpdate, name, ["rank": .int64(round % 10), "even": .int64(round % 2)])
                    try await client.save(.forceDelete, "gone")
                    try await client.save(.forceUpdate, "gone", ["rank": .int64(5), "even": .int64(0)])
                }
            }()
            for limit in [1, 7, 50] {
                let found = try await client.query(byRank, limit: limit)
                let steady = found.map(\.recordName).filter { name in
                    name.dropFirst().last.flatMap { Int(String($0)) }?.isMultiple(of: 2) ?? false
                }
                #expect(steady.count == 50 && Set(steady).count == 50, "limit \(limit)")
                let ranks = found.map { $0.value("rank") }
                #expect(ranks.allSatisfy { $0 != nil } && !found.contains { $0.deleted })
            }
            isDone.withLock { $0 = true }
            try await writer
        }
    }

    @Test("equal ranks are ordered by name, deleted records are never shown, and the last page has no marker")
    func order() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.modify(ranked(40))
            try await client.save(.forceDelete, "r20")
            let found = try await client.query(byRank, limit: 4)
            let expected = (0..<40).filter { $0.isMultiple(of: 2) && $0 != 20 }
                .sorted { ($0 % 10, "r\($0)") < ($1 % 10, "r\($1)") }
            #expect(found.map(\.recordName) == expected.map { "r\($0)" })
            let whole = try await client.queryPage(byRank)
            #expect(whole.records.count == 19 && whole.continuationMarker == nil)
            let exact = try await client.queryPage(byRank, limit: 19)
            #expect(exact.records.count == 19 && exact.continuationMarker == nil)
        }
    }

    @Test("an index follows every change, and one that is made later has what was there before")
    func changes() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.modify(ranked(30))
            func names(_ rank: Int64) async throws -> [String] {
                try await client.query(
                    RecordQuery(recordType: "Item", filterBy: [QueryFilter("rank", .equals, .int64(rank))])
                )
                .map(\.recordName).sorted()
            }
            #expect(try await names(3) == ["r13", "r23", "r3"])
            try await client.save(.forceUpdate, "r13", ["rank": .int64(77)])
            try await client.save(.forceReplace, "r23", ["even": .int64(0)])
            try await client.save(.create, "new", ["rank": .double(3)])
            #expect(try await names(3) == ["new", "r3"])
            #expect(try await names(77) == ["r13"])
            try await client.save(.forceDelete, "r13")
            #expect(try await names(77) == [])
            let reference = WireValue.reference(WireReference(recordName: "r3", action: .deleteSelf))
            try await client.save(.create, "child", ["rank": .int64(5), "parent": reference])
            #expect(try await names(5).contains("child"))
            try await client.save(.forceDelete, "r3")
            #expect(try await !names(5).contains("child"))
        }
    }

    @Test("a query of all zones is in one order, and goes on in the right one", arguments: [true, false])
    func zoneWide(_ ascending: Bool) async throws {
        try await withServer { client, _ in
            for zone in ["A", "B", "C"] {
                try await client.makeZone(zone)
                try await client.modify(ranked(20), zone: zone)
            }
            try await client.modify(ranked(5), zone: nil)
            let query = RecordQuery(recordType: "Item", sortBy: [QuerySort("rank", ascending: ascending)])
            for limit in [3, 8, 200] {
                let found = try await client.query(query, zone: nil, zoneWide: true, limit: limit)
                #expect(
                    found.count == 65 && Set(found.map { "\($0.zoneID?.zoneName ?? "")/\($0.recordName)" }).count == 65)
                let ranks = found.compactMap { if case .int64(let rank)? = $0.value("rank") { rank } else { nil } }
                #expect(ranks == (ascending ? ranks.sorted() : ranks.sorted(by: >)) && ranks.count == 65)
            }
            #expect(try await client.query(query, zone: nil).count == 5)
        }
    }

    @Test("a list with too many elements for an index is found by each of them, and once")
    func largeLists() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let many = (0..<1_000).map { "element \($0)" }
            try await client.save("many", ["list": .stringList(many), "text": .string(many.joined(separator: " "))])
            try await client.save("few", ["list": .stringList(["element 7", "x"]), "text": .string("7 x")])
            for (comparator, field, value, expected) in [
                (QueryFilter.Comparator.listContains, "list", "element 7", ["few", "many"]),
                (.listContains, "list", "element 999", ["many"]),
                (.listMemberBeginsWith, "list", "element", ["few", "many"]),
                (.containsAllTokens, "text", "999 element", ["many"]),
                (.containsAnyTokens, "text", "X 999", ["few", "many"]),
            ] {
                let query = RecordQuery(recordType: "Item", filterBy: [QueryFilter(field, comparator, .string(value))])
                #expect(try await client.query(query, limit: 1).map(\.recordName).sorted() == expected, "\(comparator)")
            }
        }
    }
}
