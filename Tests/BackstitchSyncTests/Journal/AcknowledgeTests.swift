import Backstitch
import BackstitchSQLite
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("acknowledging a push (step B)")
struct AcknowledgeTests {
    @Test("what was sent leaves the outbox, and the change tag is known")
    func plain() throws {
        let bench = try JournalBench()
        try bench.insert(1, ["title": "a"])
        let batch = try #require(try bench.prepare().batch)
        #expect(batch.items.map(\.operation.operationType) == [.create])
        let settled = try bench.settle(batch, .done(changeTag: "t1"))
        #expect(settled.sent == 1 && settled.changed.isEmpty)
        #expect(try bench.entry(1) == nil)
        #expect(try bench.state(1)?.changeTag == "t1")
        try bench.update(1, ["title": "b"])
        let second = try #require(try bench.prepare().batch)
        #expect(second.items.map(\.operation.operationType) == [.update])
        #expect(second.items[0].operation.record.recordChangeTag == "t1")
        #expect(try fields(second.items[0]) == ["title": .string("b")])
    }

    @Test("an edit made while an insert is under way stays, on the sent value as base")
    func editDuringInsert() throws {
        let bench = try JournalBench()
        try bench.insert(1, ["title": "a", "body": "text"])
        let batch = try #require(try bench.prepare().batch)
        try bench.update(1, ["title": "b"])
        #expect(try bench.settle(batch, .done(changeTag: "t1")).changed == [key(1)])
        let entry = try #require(try bench.entry(1))
        #expect(entry.kind == .update)
        #expect(entry.fields.map(\.name) == ["title"])
        #expect(entry.fields.first?.base == .value("a"))
        let next = try #require(try bench.prepare().batch)
        #expect(try fields(next.items[0]) == ["title": .string("b")])
        #expect(next.items[0].operation.record.recordChangeTag == "t1")
    }

    @Test("an edit made while an update is under way stays; what was sent and not changed since goes")
    func editDuringUpdate() throws {
        let bench = try pushed(["title": "a", "body": "a", "rank": 1])
        try bench.update(1, ["title": "b", "body": "b"])
        let batch = try #require(try bench.prepare().batch)
        try bench.update(1, ["title": "c", "rank": 2])
        try bench.settle(batch, .done(changeTag: "t2"))
        let entry = try #require(try bench.entry(1))
        #expect(entry.fields.map(\.name) == ["rank", "title"])
        #expect(entry.fields.map(\.base) == [.value(1), .value("b")])
    }

    @Test("links changed while under way stay, on the sent ones as base")
    func linksDuringPush() throws {
        let bench = try pushed([:])
        try bench.link(1, add: [10, 11])
        let batch = try #require(try bench.prepare().batch)
        #expect(
            try fields(batch.items[0]) == [
                "tags": .referenceList([key(10), key(11)].map { WireReference(recordName: $0.uuidString) })
            ])
        try bench.link(1, add: [12], remove: [10])
        try bench.settle(batch, .done(changeTag: "t2"))
        #expect(try bench.entry(1)?.fields.map(\.base) == [.links([key(10), key(11)])])
    }

    @Test("an object deleted while its insert is under way is deleted on the server too")
    func deleteDuringInsert() throws {
        let bench = try JournalBench()
        try bench.insert(1)
        let batch = try #require(try bench.prepare().batch)
        try bench.delete(1)
        #expect(try bench.entry(1)?.kind == .delete)
        #expect(try bench.settle(batch, .done(changeTag: "t1")).changed == [key(1)])
        let next = try #require(try bench.prepare().batch)
        #expect(next.items.map(\.operation.operationType) == [.delete])
        #expect(next.items[0].operation.record.recordChangeTag == "t1")
        try bench.settle(next, .done(changeTag: nil))
        #expect(try bench.entry(1) == nil)
        #expect(try bench.state(1) == nil)
    }

    @Test("an object deleted before its insert ever left is not sent at all")
    func neverSent() throws {
        let bench = try JournalBench()
        try bench.insert(1)
        try bench.delete(1)
        #expect(try bench.prepare().batch == nil)
    }

    @Test("an object made again while its deletion is under way is sent whole")
    func madeAgain() throws {
        let bench = try pushed(["title": "a"])
        try bench.delete(1)
        let batch = try #require(try bench.prepare().batch)
        try bench.insert(1, ["title": "again"])
        try bench.settle(batch, .done(changeTag: nil))
        let next = try #require(try bench.prepare().batch)
        #expect(next.items.map(\.operation.operationType) == [.create])
        #expect(try fields(next.items[0])["title"] == .string("again"))
    }

    @Test("cleared values and emptied links travel as such, also when cleared in a later save")
    func cleared() throws {
        let bench = try pushed(["title": "a", "body": "text"], tags: [10])
        try bench.update(1, ["rank": 3])
        try bench.update(1, ["body": .null])
        try bench.link(1, remove: [10])
        let batch = try #require(try bench.prepare().batch)
        #expect(try fields(batch.items[0]) == ["rank": .int64(3), "body": nil, "tags": .referenceList([])])
    }

    @Test("a refused change goes into quarantine, the others go on; an edit takes it out again")
    func refused() throws {
        let bench = try JournalBench()
        try bench.insert(1)
        try bench.insert(2)
        let batch = try #require(try bench.prepare().batch)
        let settled = try bench.settle(batch, .refused(reason: "too ugly"), .done(changeTag: "t"))
        #expect(settled.blocked.map(\.reason) == ["too ugly"])
        #expect(try bench.counts() == (waiting: 0, blocked: 1))
        #expect(try bench.prepare().batch == nil)
        try bench.update(1, ["title": "prettier"])
        #expect(try bench.prepare().batch?.keys == [key(1)])
    }

    @Test("a value that cannot travel blocks its object alone, with the reason")
    func notFinite() throws {
        let bench = try JournalBench()
        try bench.insert(1, ["ratio": .double(.nan)])
        try bench.insert(2, ["ratio": .double(1)])
        let prepared = try bench.prepare()
        #expect(prepared.batch?.keys == [key(2)])
        #expect(prepared.blocked.map(\.objectID) == [noteID(1)])
        #expect(try bench.entry(1)?.blockedReason?.contains("ratio is nan") == true)
    }

    @Test("batches are cut at the server's limits in count and bytes, and lose nothing")
    func limits() throws {
        let bench = try JournalBench()
        try bench.insert("Note", 1...25) {
            ["title": .string(String(repeating: "x", count: 1_000)), "rank": .int(Int64($0))]
        }
        var limits = WireLimits.standard
        limits.operations = 10
        #expect(try bench.prepare(limits: limits).batch?.items.count == 10)
        limits.operations = 200
        limits.bytes = 10_000
        var seen: [ObjectKey] = []
        while let batch = try bench.prepare(limits: limits, excluding: Set(seen)).batch {
            #expect(batch.items.count < 6)
            seen += batch.keys
        }
        #expect(seen.sorted() == (1...25).map { key($0) })
    }

    @Test("a ceiling below the server's limit leaves saves whole, unless it cuts them")
    func ceilings() throws {
        let bench = try JournalBench()
        try bench.insert("Note", 1...1) { _ in [:] }
        try bench.insert("Note", 2...9) { _ in [:] }
        try bench.insert("Note", 10...12) { _ in [:] }
        func count(_ changes: Int, cut: Bool = false, excluding: Set<ObjectKey> = [], limit: Int = 200) throws -> Int? {
            var limits = WireLimits.standard
            limits.operations = limit
            let ceiling = BatchCeiling(changes, cutsSaves: cut)
            return try bench.prepare(limits: limits, ceiling: ceiling, excluding: excluding).batch?.items.count
        }
        #expect(try count(3) == 1)
        #expect(try count(1, excluding: [key(1)]) == 8)
        #expect(try count(3, excluding: [key(1)]) == 8)
        #expect(try count(3, cut: true, excluding: [key(1)]) == 3)
        #expect(try count(3, excluding: [key(1)], limit: 5) == 5)
        #expect(try count(11) == 9)
        #expect(try count(12) == 12)
        #expect(try bench.prepare(ceiling: BatchCeiling(12, cutsSaves: false)).isLast)
    }

    @Test("a record that is too large blocks itself alone")
    func tooLarge() throws {
        let bench = try JournalBench()
        try bench.insert(1, ["title": .string(String(repeating: "x", count: 2_000))])
        try bench.insert(2, ["title": "small"])
        var limits = WireLimits.standard
        limits.record = 1_000
        let prepared = try bench.prepare(limits: limits)
        #expect(prepared.batch?.keys == [key(2)])
        #expect(prepared.blocked.count == 1)
    }

    @Test("the same attempt has the same name, another attempt another one")
    func idempotency() throws {
        let bench = try JournalBench()
        try bench.insert(1)
        let first = try bench.prepare().batch?.idempotencyKey
        #expect(try bench.prepare().batch?.idempotencyKey == first)
        // News from the server, an edit, another object: none of them is the same attempt.
        try bench.apply([])
        let second = try bench.prepare().batch?.idempotencyKey
        try bench.update(1, ["title": "b"])
        let third = try bench.prepare().batch?.idempotencyKey
        try bench.insert(2)
        let fourth = try bench.prepare().batch?.idempotencyKey
        #expect(Set([first, second, third, fourth]).count == 4)
    }

    private func pushed(_ values: [String: Value], tags: [UInt64] = []) throws -> JournalBench {
        let bench = try JournalBench()
        try bench.insert("Tag", 10...12) { _ in [:] }
        try bench.insert(1, values)
        if !tags.isEmpty { try bench.link(1, add: tags) }
        try bench.pushAll()
        return bench
    }

    private func fields(_ item: PushItem) throws -> [String: WireValue?] {
        try WireRecord.Fields(json: item.operation.record.encodedFields ?? []).values
    }
}
