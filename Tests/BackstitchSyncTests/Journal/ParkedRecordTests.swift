import Backstitch
import BackstitchSQL
import BackstitchSQLite
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("records that cannot become objects")
struct ParkedRecordTests {
    @Test("one bad record stops nothing: it is parked with its reason, the rest of the page is applied")
    func isolation() throws {
        let bench = try JournalBench()
        let applied = try bench.apply([
            record(1, "a", ["title": .string("good")]), record(2, "a", ["title": .int64(1)]),
            record(3, "a", type: "Spaceship"), record(4, "a", ["title": .string("good too")]),
        ])
        #expect(applied.changes.inserted == [noteID(1), noteID(4)])
        #expect(applied.parked.map(\.recordName) == [key(2).uuidString, key(3).uuidString])
        #expect(applied.parked[0].reason.contains("title"))
        #expect(applied.parked[1].reason.contains("Spaceship"))
        #expect(try bench.metadata(SyncProperty.token.name) != nil)
        let kept = try bench.store.readJournal(ParkedRecords.all)
        #expect(kept.map(\.recordType) == ["Note", "Spaceship"])
    }

    @Test("a parked record that is mended or deleted on the server leaves the park")
    func mended() throws {
        let bench = try JournalBench()
        try bench.apply([record(2, "a", ["title": .int64(1)]), record(3, "a", type: "Spaceship")])
        let applied = try bench.apply([record(2, "b", ["title": .string("mended")]), tombstone(3)])
        #expect(applied.changes.inserted == [noteID(2)])
        #expect(try bench.store.readJournal(ParkedRecords.all).isEmpty)
        #expect(try bench.metadata(SyncProperty.parkedCount.name) == nil)
    }

    @Test("an object stays as it was when its record becomes unreadable, and an edit of it is blocked, not lost")
    func knownObject() throws {
        let bench = try JournalBench()
        try bench.apply([record(1, "a", ["title": .string("before")])])
        try bench.apply([record(1, "b", ["title": .int64(1)])])
        #expect(try bench.value(1, "title") == "before")
        try bench.update(1, ["body": "mine"])
        let batch = try #require(try bench.prepare().batch)
        let settled = try bench.settle(batch, .conflict(record(1, "b", ["title": .int64(1)])))
        #expect(settled.blocked.map(\.objectID) == [noteID(1)])
        #expect(settled.again.isEmpty)
        #expect(try bench.value(1, "body") == "mine")
    }

    @Test("fields that this version does not know stay with the record's state, through merges too")
    func unknownFields() throws {
        let bench = try JournalBench()
        try bench.apply([record(1, "a", ["title": .string("x"), "colour": .string("red")])])
        #expect(try bench.state(1)?.unknownFields != nil)
        try bench.update(1, ["title": "y"])
        try bench.apply([record(1, "b", ["title": .string("x"), "colour": .string("blue")])])
        let kept = try #require(try bench.state(1)?.unknownFields)
        #expect(try WireRecord.Fields(json: Array(kept)).values == ["colour": .string("blue")])
        // An update sends changed fields only, so unknown fields stay on the server as well.
        let batch = try #require(try bench.prepare().batch)
        #expect(batch.items[0].operation.operationType == .update)
    }

    @Test("a model that knows more reads everything again")
    func newModel() throws {
        let bench = try JournalBench()
        let model = bench.model
        _ = try bench.store.openSync(scope: "here", model: model)
        try bench.apply([record(1, "a", ["title": .string("x")])])
        _ = try bench.store.openSync(scope: "here", model: model)
        #expect(try bench.metadata(SyncProperty.token.name) != nil)
        try bench.store.writeJournal(author: "test") {
            try $0.set(.fingerprint, to: "an older model")
        }
        _ = try bench.store.openSync(scope: "here", model: model)
        #expect(try bench.metadata(SyncProperty.token.name) == nil)
        // Known tags are no reason to skip a record now.
        let applied = try bench.apply([record(1, "a", ["title": .string("read again")])])
        #expect(applied.changes.updated == [noteID(1)])
        #expect(try bench.value(1, "title") == "read again")
        #expect(try bench.metadata(SyncProperty.sweep.name) == nil)
    }
}
