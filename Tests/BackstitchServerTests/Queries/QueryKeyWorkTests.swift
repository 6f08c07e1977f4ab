import Backstitch
import BackstitchSQL
import BackstitchSupport
import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

/// Entries in indexes of queries are found outside the writer's turn, if finding them takes long.
@Suite("the writer does little work for the indexes of queries") struct QueryKeyWorkTests {
    private static let words = QueryIndex.Component(field: QueryField(known: "text"), part: .words)
    private static let elements = QueryIndex.Component(field: QueryField(known: "tags"), part: .elements)
    private static let title = QueryIndex.Component(field: QueryField(known: "title"))
    private static let indexes = [[words], [elements], [title, words], [title]]

    /// A text of 4,000 bytes with 40 words. The first one is of this record only.
    private static func text(_ number: Int) -> String {
        "only\(number) " + (0..<39).map { "\($0)" + String(repeating: "é", count: 49) }.joined(separator: " ")
    }

    private static func values(_ number: Int) -> [String: WireValue?] {
        [
            "text": .string(text(number)), "title": .string("t\(number)"),
            "tags": .stringList(Array(repeating: "tag\(number)", count: 1_000)),
        ]
    }

    private static func record(_ number: Int, at sequence: Int64) throws -> StoredRecord {
        StoredRecord(
            name: "r\(number)", type: "Item", sequence: sequence, deleted: false, flags: [], created: 1,
            createdBy: "u", createdOn: "2", modified: 1, modifiedBy: "u",
            fields: try WireRecord.encodeFields(values(number), of: "r"))
    }

    /// A zone with all indexes.
    private func makeZone(_ storage: ZoneStorage) async throws -> StoredZone {
        try await storage.write { writing in
            let key = DatabaseKey(tenant: "t/development", scope: .private, owner: "u")
            let owner = try writing.makeOwner(key, epoch: 1)
            let zone = try writing.makeZone(owner, named: "Z", epoch: 1)
            for components in Self.indexes {
                let index = try writing.makeQueryIndex(
                    QueryIndex(type: "Item", components: components), in: zone, by: QueryIndexOwner(name: "u"), used: 1)
                _ = try writing.fill(index, of: zone, names: 10, bytes: 1 << 20)
            }
            guard let made = try writing.zone(owner, named: "Z") else { throw TestFailure("no zone") }
            return made
        }
    }

    private func entries(_ storage: ZoneStorage) async throws -> [String] {
        try await storage.write { writing in
            try writing.all("SELECT number, key, record FROM query_entry") {
                "\($0.int(0)) \($0.bytes(1).hexadecimal) \($0.text(2))"
            }.sorted()
        }
    }

    @Test(
        "beyond its share of work a write is undone, and done again when all is found", arguments: StorageKind.allCases
    )
    func turns(_ kind: StorageKind) async throws {
        let records = try (0..<60).map { try Self.record($0, at: 1) }
        let bytes = records.reduce(0) { $0 + $1.fields.count }
        #expect(bytes > 2 * QueryKeyWork.usualLimit)
        let inOneGo = try await kind.withStorage { storage in
            let zone = try await makeZone(storage)
            try await storage.write { try $0.insert(records, into: zone) }
            return try await entries(storage)
        }
        #expect(inOneGo.count == 4_920)
        try await kind.withStorage { storage in
            let zone = try await makeZone(storage)
            for isKnown in [true, false] {
                let work = QueryKeyWork(), spent = Locked<[Int]>([])
                try await work.carryOut(on: ThreadRunner()) {
                    try await storage.write { writing in
                        work.begin()
                        // A request knows the values of its fields, unless they have come from the storage.
                        for (number, record) in records.enumerated() where isKnown {
                            work.note(record.name, of: zone, record.fields, Self.values(number))
                        }
                        if isKnown {
                            try writing.insert(records, into: zone, work)
                        } else {
                            try writing.update(records, in: zone, work)
                        }
                        spent.withLock { $0.append(work.spent) }
                        try work.requireAll()
                    }
                }
                let turns = spent.withLock { $0 }
                #expect(turns.count == 2, "\(turns)")
                #expect(turns.allSatisfy { $0 <= QueryKeyWork.usualLimit }, "\(turns)")
                #expect(try await entries(storage) == inOneGo)
            }
        }
    }

    @Test("records that others change all the time are refused, and small ones never")
    func changing() async throws {
        try await StorageKind.directory.withStorage { storage in
            let zone = try await makeZone(storage)
            func write(_ count: Int) async throws -> Int {
                let work = QueryKeyWork(), turns = Locked(0)
                try await work.carryOut(on: ThreadRunner()) {
                    let turn = turns.withLock { turns -> Int in
                        turns += 1
                        return turns
                    }
                    try await storage.write { writing in
                        work.begin()
                        let records = try (0..<count).map { try Self.record(10_000 * count + 1_000 * turn + $0, at: 1) }
                        try writing.insert(records, into: zone, work)
                        try work.requireAll()
                    }
                }
                return turns.withLock { $0 }
            }
            #expect(try await write(3) == 1)
            await expectFailure(.tryAgainLater) { try await write(60) }
        }
    }

    @Test("requests of any size keep up the indexes", arguments: StorageKind.allCases)
    func requests(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, _ in
            let client = client.extended()
            for zone in ["Z", "Y"] { try await client.makeZone(zone) }
            func found(_ number: Int, _ title: String, in zone: String) async throws -> [String] {
                let query = RecordQuery(
                    recordType: "Item",
                    filterBy: [
                        QueryFilter("text", .containsAllTokens, .string("ONLY\(number)")),
                        QueryFilter("title", .equals, .string(title)),
                    ])
                return try await client.query(query, zone: zone).map(\.recordName)
            }
            for zone in ["Z", "Y"] { #expect(try await found(0, "t0", in: zone).isEmpty) }
            let numbers = 0..<100
            let creations = numbers.map { create("r\($0)", Self.values($0)) }
            for zone in ["Z", "Y"] {
                #expect(try await client.modify(creations, zone: zone).allSatisfy { $0.error == nil })
            }
            // The texts come from the storage.
            let updates = numbers.map { operation(.forceUpdate, "r\($0)", ["title": .string("new")]) }
            #expect(try await client.modify(updates).allSatisfy { $0.error == nil })
            for number in [0, 50, 99] {
                #expect(try await found(number, "t\(number)", in: "Y") == ["r\(number)"])
                #expect(try await found(number, "t\(number)", in: "Z").isEmpty)
                #expect(try await found(number, "new", in: "Z") == ["r\(number)"])
            }
        }
    }

    @Test("entries with too many bytes are refused, like too many entries")
    func bytes() async throws {
        try await StorageKind.directory.withStorage { storage in
            let text = String(repeating: "x", count: QueryKey.indexedBytes)
            let fields = ["a", "b", "c"]
            let values = Dictionary(uniqueKeysWithValues: fields.map { ($0, WireValue?.some(.string(text))) })
            let json = try WireRecord.encodeFields(values, of: "r")
            let zone = try await makeZone(storage)
            @Sendable func insert(_ numbers: Range<Int>, _ writing: ZoneTransaction) throws {
                let records = numbers.map { number in
                    StoredRecord(
                        name: "r\(number)", type: "Note", sequence: 1, deleted: false, flags: [], created: 1,
                        createdBy: "u", createdOn: "2", modified: 1, modifiedBy: "u", fields: json)
                }
                try writing.insert(records, into: zone)
            }
            try await storage.write { writing in
                let index = QueryIndex(type: "Note", components: fields.map { .init(field: QueryField(known: $0)) })
                _ = try writing.makeQueryIndex(index, in: zone, by: QueryIndexOwner(name: "u"), used: 1)
            }
            let most = QueryLimits.bytesOfEntries / (3 * (QueryKey.indexedBytes + 3))
            #expect(most < QueryLimits.entries)
            try await storage.write { try insert(0..<most, $0) }
            let error = await expectFailure(.badRequest) {
                try await storage.write { try insert(most..<2 * most + 1, $0) }
            }
            #expect(error?.isLimitExceeded == true)
        }
    }
}
