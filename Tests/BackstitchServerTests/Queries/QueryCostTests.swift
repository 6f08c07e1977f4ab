import BackstitchSupport
import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

/// The work of one request in the indexes of queries, and the bytes held by one reading.
@Suite struct QueryCostTests {
    /// A query that needs an index of its own, of all tags.
    private func tagged(_ tag: Int, by order: Int) -> RecordQuery {
        RecordQuery(
            recordType: "Item",
            filterBy: [QueryFilter("tags", .listContains, .string("t\(tag)"))],
            sortBy: [QuerySort("s\(order)")])
    }

    /// Indexes with an entry for each element of a list that a type may have.
    private static let indexes = QueryLimits.placesOfType / QueryLimits.placesOfParts

    private static let tags = WireValue.stringList((0..<QueryLimits.parts).map { "t\($0)" })

    private func items(_ range: Range<Int>) -> [RecordOperation] {
        range.map { create("r\($0)", ["tags": Self.tags]) }
    }

    /// Makes all indexes that a zone may have.
    private func makeIndexes(_ client: TestClient) async throws {
        for order in 0..<Self.indexes { _ = try await client.query(tagged(0, by: order)) }
    }

    private func indexes(_ server: ZoneServer) async throws -> Int {
        let service = try server.working
        return try await service.context.storage.read { reading in
            let key = DatabaseKey(
                tenant: "iCloud.test/development", scope: .private, owner: Authenticator.developmentUser)
            guard let owner = try reading.owner(key), let zone = try reading.zone(owner, named: "Z") else { return -1 }
            return try reading.queryIndexes(zone).count
        }
    }

    @Test(
        "a request that would write too many entries is refused, changes nothing, and is done in parts",
        arguments: StorageKind.allCases)
    func entries(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, server in
            let client = client.extended()
            try await client.makeZone()
            try await client.save("r0", ["tags": Self.tags])
            try await makeIndexes(client)
            #expect(try await indexes(server) == Self.indexes)
            let most = QueryLimits.entries / (Self.indexes * QueryLimits.parts)
            let error = await expectFailure(.badRequest) { try await client.modify(items(1..<most + 2)) }
            #expect(error?.isLimitExceeded == true)
            #expect(try await client.lookup(["r1"])[0].error?.code == .notFound)
            #expect(try await client.modify(items(1..<most)).allSatisfy { $0.error == nil })
            #expect(try await client.modify(items(most..<most + 2)).allSatisfy { $0.error == nil })
            #expect(try await client.query(tagged(7, by: 3)).count == most + 2)
            let changes = (0..<most + 2).map { operation(.forceUpdate, "r\($0)", ["n": .int64(1)]) }
            let again = await expectFailure(.badRequest) { try await client.modify(changes, desiredKeys: []) }
            #expect(again?.isLimitExceeded == true)
            #expect(try await indexes(server) == Self.indexes)
        }
    }

    @Test(
        "a deletion of records with many entries gives up indexes instead of removing all of them at once",
        arguments: StorageKind.allCases)
    func deletion(_ kind: StorageKind) async throws {
        try await StatementRecorder.withServer(kind) { client, server, recorder in
            let client = client.extended()
            try await client.makeZone()
            try await client.save("r0", ["tags": Self.tags])
            try await makeIndexes(client)
            for start in stride(from: 1, to: 40, by: 3) {
                #expect(try await client.modify(items(start..<start + 3)).allSatisfy { $0.error == nil })
            }
            let deletions = (10..<40).map { operation(.forceDelete, "r\($0)") }
            _ = recorder.takeTransactions()
            #expect(try await client.modify(deletions).allSatisfy { $0.error == nil })
            let changes = recorder.takeTransactions().map(\.changes).max() ?? 0
            #expect((30..<QueryLimits.entries).contains(changes), "\(changes)")
            let left = QueryLimits.entries / (30 * QueryLimits.parts)
            #expect(try await indexes(server) == left)
            for order in 0..<Self.indexes {
                #expect(try await client.query(tagged(order, by: order)).count == 10, "\(order)")
            }
            #expect(try await indexes(server) == Self.indexes)
            // Beside stale entries of an unused index, other indexes stay up to date.
            try await client.save(.forceUpdate, "r0", ["tags": .stringList(["other"])])
            try await client.save(.forceDelete, "r1")
            for order in 0..<Self.indexes {
                #expect(try await client.query(tagged(order, by: order)).count == 8, "\(order)")
            }
            try await server.cleanUp()
            #expect(try await client.query(tagged(1, by: 1)).count == 8)
        }
    }

    @Test(
        "between many dropped indexes, a large deletion gives up the others instead of looking for entries in each",
        arguments: StorageKind.allCases)
    func betweenDropped(_ kind: StorageKind) async throws {
        try await kind.withStorage { storage in
            try await storage.write { writing in
                let key = DatabaseKey(tenant: "t/development", scope: .private, owner: "u")
                var zone = try writing.makeZone(try writing.makeOwner(key, epoch: 1), named: "Z", epoch: 1)
                let indexes = try (0..<12).map { number in
                    let components = [QueryIndex.Component(field: QueryField(known: "f\(number)"))]
                    return try writing.makeQueryIndex(
                        QueryIndex(type: "Item", components: components), in: zone, by: QueryIndexOwner(name: "u"),
                        used: 1)
                }
                zone.queryIndexes = Int64(indexes.count)
                for index in indexes where index.number.isMultiple(of: 2) { try writing.drop(index, of: zone) }
                func remove(_ count: Int) throws -> Int {
                    let records = (0..<count).map { number in
                        StoredRecord(
                            name: "r\(number)", type: nil, sequence: 1, deleted: true, flags: [], created: 1,
                            createdBy: "u", createdOn: "2", modified: 1, modifiedBy: "u", fields: [])
                    }
                    try writing.update(records, in: zone)
                    return try writing.queryIndexes(zone).count
                }
                #expect(try remove(QueryLimits.lookUpsOfRemoval / 6) == 6)
                #expect(try remove(QueryLimits.lookUpsOfRemoval / 6 + 1) == 0)
            }
        }
    }

    @Test("the spans of indexes that are kept are as few as possible")
    func spans() {
        #expect(ZoneTransaction.spans(of: [1, 2, 5], among: [5, 2, 1]) == [1...5])
        #expect(ZoneTransaction.spans(of: [1, 2, 5, 9], among: [1, 2, 3, 5, 8, 9]) == [1...2, 5...5, 9...9])
        #expect(ZoneTransaction.spans(of: [4], among: [3, 4, 7]) == [4...4])
        #expect(ZoneTransaction.spans(of: [], among: [3, 4]).isEmpty)
    }

    @Test(
        "a reading of large records ends when it has its bytes, wherever they come", arguments: StorageKind.allCases)
    func bytes(_ kind: StorageKind) async throws {
        try await kind.withStorage { storage in
            try await storage.write { writing in
                let key = DatabaseKey(tenant: "t/development", scope: .private, owner: "u")
                let zone = try writing.makeZone(try writing.makeOwner(key, epoch: 1), named: "Z", epoch: 1)
                let sequence = try writing.advance(zone)
                let sizes = Array(repeating: 10, count: 50) + Array(repeating: 100_000, count: 50)
                let records = sizes.enumerated().map { number, size in
                    StoredRecord(
                        name: "r\(100 + number)", type: "Item", sequence: sequence, deleted: false, flags: [],
                        created: 1, createdBy: "u", createdOn: "2", modified: 1, modifiedBy: "u",
                        fields: Array(repeating: 1, count: size))
                }
                try writing.insert(records, into: zone)
                func read(_ names: [String], _ bytes: Int) throws -> [String?] {
                    try writing.firstRecords(zone, named: names, bytes: bytes).map { $0?.name }
                }
                let names = records.map(\.name)
                #expect(try read(names, 250_000) == Array(names.prefix(53)))
                #expect(try read(names, 1) == Array(names.prefix(1)))
                #expect(try read(Array(names.reversed()), 150_000) == Array(names.reversed().prefix(2)))
                #expect(try read(names, 6_000_000).count == 100)
                #expect(try read(["r100", "r100", "r199", "r198"], 11) == ["r100", "r100", "r199"])
                // A missing name at the end of the reading needs a request of its own.
                #expect(try read(["none", "r100", "r199", "r198"], 11) == [nil])
                #expect(try read(["none"], 1) == [nil] && read([], 1).isEmpty)
            }
        }
    }

    @Test("small records before large ones, and large ones before small ones, all come once")
    func pages() async throws {
        try await withServer { client, _ in
            let client = client.extended()
            try await client.makeZone()
            let sizes = (0..<300).map { $0 < 200 ? 10 : 90_000 } + (0..<50).map { _ in 10 }
            for part in Array(sizes.enumerated()).parts(of: 50) {
                let operations = part.map { number, size in
                    create(
                        "r\(number)",
                        [
                            "n": .int64(Int64(number)), "t": .string(String(repeating: "x", count: size)),
                        ])
                }
                try await client.modify(operations, desiredKeys: [])
            }
            for isAscending in [true, false] {
                let query = RecordQuery(
                    recordType: "Item", sortBy: [QuerySort("n", ascending: isAscending)])
                let names = try await client.query(query).map(\.recordName)
                let expected = sizes.indices.map { "r\($0)" }
                #expect(names == (isAscending ? expected : expected.reversed()))
            }
        }
    }

    @Test("a large text is taken apart once for all filters that are tried on it")
    func largeText() throws {
        let filter = QueryFilter("t", .containsAllTokens, .string("none"))
        let plans = try (0..<50).map { _ in
            try QueryPlan(
                RecordQuery(recordType: "Item", filterBy: Array(repeating: filter, count: 16)), isWide: false)
        }
        let text = WireValue.string(String(repeating: "some words of a large text ", count: 4_000))
        let fields = ["t": WireValue?.some(text)]
        let record = StoredRecord(
            name: "r", type: "Item", sequence: 1, deleted: false, flags: [], created: 1, createdBy: "u",
            createdOn: "2", modified: 1, modifiedBy: "u", fields: [])
        func time(_ body: () -> Bool) -> Duration {
            let start = ContinuousClock.now
            #expect(!body())
            return ContinuousClock.now - start
        }
        let one = time { plans[0].conditions[0].holds(record, fields) }
        // The shortest of three: a machine that is busy with something else counts for neither.
        let all = try #require(
            (0..<3).map { _ in
                time {
                    var known = QueryParts()
                    return plans.reduce(false) { $1.conditions.reduce($0) { $1.holds(record, fields, &known) || $0 } }
                }
            }.min())
        #expect(all < one * 100, "\(all) for 800 filters, \(one) for one")
    }
}
