import BackstitchSQL
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// The indexes themselves: the order of their keys, how databases read them, and how long they stay.
@Suite struct QueryIndexTests {
    private let key = DatabaseKey(tenant: "iCloud.test/development", scope: .private, owner: "u")

    @Test("keys have the order of their values, whatever the types of numbers")
    func order() {
        let seed = SeededGenerator.seed()
        print("counted: query keys, seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var numbers: [WireValue] = [
            .int64(.min), .int64(.max), .int64(.max - 1), .int64(0), .double(-0.0), .double(0x1p63), .double(-0x1p63),
            .double(.greatestFiniteMagnitude), .double(-.leastNonzeroMagnitude), .int64(1 << 53), .int64(1 << 53 + 1),
            .double(0x1p53),
        ]
        for _ in 0..<300 {
            numbers.append(.int64(Int64.random(in: .min ... .max, using: &random)))
            numbers.append(.double(Double.random(in: -1e19...1e19, using: &random)))
            numbers.append(.timestamp(Int64.random(in: -5...5, using: &random)))
        }
        /// The whole number below, and the remainder.
        func exact(_ value: WireValue) -> (Int128, Double) {
            switch value {
            case .int64(let number), .timestamp(let number): (Int128(number), 0)
            case .double(let number): (Int128(number.rounded(.down)), number - number.rounded(.down))
            default: (0, 0)
            }
        }
        let small = numbers.filter { if case .double(let number) = $0 { abs(number) < 1e30 } else { true } }
        for _ in 0..<5_000 {
            guard let a = small.randomElement(using: &random), let b = small.randomElement(using: &random) else {
                return
            }
            let (left, right) = (QueryKey.bytes(a), QueryKey.bytes(b))
            #expect(left.lexicographicallyPrecedes(right) == (exact(a) < exact(b)), "seed \(seed): \(a) \(b)")
            #expect((left == right) == (exact(a) == exact(b)), "seed \(seed): \(a) \(b)")
        }
        #expect(QueryKey.bytes(.double(-0.0)) == QueryKey.bytes(.int64(0)))
        let texts = ["", "\u{0}", "a", "a\u{0}", "a\u{0}b", "ab", "b", "é", String(repeating: "z", count: 200)]
        for (less, greater) in zip(texts, texts.dropFirst()) {
            let keys = [QueryKey.bytes(.string(less)) + [1], QueryKey.bytes(.string(greater)) + [1]]
            #expect(
                keys[0].lexicographicallyPrecedes(keys[1])
                    == less.utf8.lexicographicallyPrecedes(greater.utf8))
        }
        let long = String(repeating: "\u{0}", count: 5_000)
        #expect(QueryKey.bytes(.string(long)).count < 500)
    }

    @Test("an index is written down, and read again")
    func text() throws {
        let index = QueryIndex(
            type: "Item",
            components: [
                .init(field: QueryField(known: "tags"), part: .elements),
                .init(field: QueryField(known: "___modTime"), isInverted: true),
            ])
        #expect(index.text == "+etags,-v___modTime")
        #expect(QueryIndex(type: "Item", text: index.text) == index)
        #expect(QueryIndex(type: "Item", text: "")?.components == [])
        #expect(QueryIndex(type: "Item", text: "+xtags") == nil)
    }

    /// Runs `body` with a zone that has an index of `rank`, and 2,000 records.
    private func withIndex(
        _ kind: StorageKind, _ body: @escaping @Sendable (ZoneTransaction, StoredZone, StoredQueryIndex) throws -> Void
    ) async throws {
        try await kind.withStorage { storage in
            try await storage.write { [key] writing in
                let owner = try writing.makeOwner(key, epoch: 1)
                let zone = try writing.makeZone(owner, named: "Z", epoch: 1)
                let sequence = try writing.advance(zone)
                let records = try (0..<2_000).map { number in
                    StoredRecord(
                        name: "r\(number)", type: "Item", sequence: sequence, deleted: false, flags: [], created: 1,
                        createdBy: "u", createdOn: "2", modified: 1, modifiedBy: "u",
                        fields: try WireRecord.encodeFields(["rank": .int64(Int64(number % 100))], of: "r"))
                }
                try writing.insert(records, into: zone)
                let index = QueryIndex(type: "Item", components: [.init(field: QueryField(known: "rank"))])
                var stored = try writing.makeQueryIndex(index, in: zone, by: QueryIndexOwner(name: "u"), used: 1)
                var pieces = 0
                while stored.state == .making {
                    stored = try writing.fill(stored, of: zone, names: 500, bytes: 1 << 20)
                    pieces += 1
                }
                #expect(pieces > 3)
            }
            try await storage.write { [key] writing in
                guard let owner = try writing.owner(key),
                    let zone = try writing.zone(owner, named: "Z"), let index = try writing.queryIndexes(zone).first
                else { throw TestFailure("no index") }
                try body(writing, zone, index)
            }
        }
    }

    @Test(
        "a database reads a piece of an index from the tree of its key, without a sort", arguments: StorageKind.allCases
    )
    func plan(_ kind: StorageKind) async throws {
        try await withIndex(kind) { transaction, zone, index in
            for isBackward in [false, true] {
                let rank = QueryKey.bytes(.int64(50)), end = isBackward ? QueryKey.bytes(.int64(10)) : [0x11]
                let span = QuerySpan(key: rank, name: "r150", end: end, isBackward: isBackward)
                let text = ZoneSnapshot.queryEntriesText(zone, index, span, limit: 10)
                let entries = try transaction.queryEntries(zone, index, span, limit: 10, bytes: Int.max).entries
                #expect(entries.count == 10 && entries.allSatisfy { $0.record?.name == $0.name })
                #expect(entries.first?.name == (isBackward ? "r1450" : "r1550"))
                let explanation = kind == .postgreSQL ? "EXPLAIN " : "EXPLAIN QUERY PLAN "
                var lines: [String] = []
                let statement = text.statement(transaction.dialect).preceded(by: explanation)
                try transaction.connection.forEachRow(of: statement) {
                    lines.append($0.text(kind == .postgreSQL ? 0 : 3))
                }
                let plan = lines.joined(separator: "\n")
                #expect(
                    plan.contains(kind == .postgreSQL ? "query_entry_pkey" : "SEARCH query_entry USING PRIMARY KEY"),
                    "\(plan)")
                #expect(
                    !plan.contains("Sort") && !plan.contains("TEMP B-TREE") && !plan.contains("Seq Scan"), "\(plan)")
            }
        }
    }

    @Test("a zone that nobody queries pays nothing for indexes")
    func cost() async throws {
        try await withServer { client, server in
            try await client.makeZone()
            let statements = try await StatementCount(server)
            try await client.save("a", ["n": .int64(1)])
            try await client.save(.forceUpdate, "a", ["n": .int64(2)])
            let asked = statements.takeAll().count { $0.contains("query_entry") || $0.contains("FROM query_index") }
            #expect(asked == 0)
        }
    }

    @Test("a zone has room for so many indexes, and one that is not used makes room, or goes")
    func room() async throws {
        let clock = VirtualClock()
        try await withServer({ $0.clock = clock }) { client, server in
            try await client.makeZone()
            try await client.save("a", ["f0": .int64(1)])
            func query(_ number: Int) async throws -> Int {
                try await client.query(
                    RecordQuery(recordType: "Item", filterBy: [QueryFilter("f\(number)", .equals, .int64(1))])
                ).count
            }
            for number in 0..<QueryLimits.placesOfType { #expect(try await query(number) == (number == 0 ? 1 : 0)) }
            await expectFailure(.throttled) { try await query(99) }
            clock.advance(by: Int64(QueryLimits.restBeforePlace) + 1)
            #expect(try await query(0) == 1)
            #expect(try await query(99) == 0)
            clock.advance(by: Int64(QueryLimits.restBeforeEnd) + 1)
            try await server.cleanUp()
            let service = try #require(server.state.withLock { $0.service })
            let left = try await service.context.storage.read { reading in
                try reading.one(
                    "SELECT (SELECT count(*) FROM query_entry) + (SELECT count(*) FROM query_index)"
                ) { $0.int(0) }
            }
            #expect(left == 0)
            #expect(try await query(0) == 1)
        }
    }

    @Test("words are told apart without case and marks")
    func words() {
        #expect(QueryWords.of("Café au LAIT, 2x  naïve-té!") == ["cafe", "au", "lait", "2x", "naive", "te"])
        #expect(QueryWords.of(" ?! ").isEmpty)
    }
}
