import Backstitch
import BackstitchSQL
import BackstitchSQLite
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("pushes of assets whose bytes are not here")
struct LeftOutAssetTests {
    private static let absent = AssetReference(checksum: "absent", size: 3)
    private static let there = AssetReference(checksum: "there", size: 4)

    private static func wire(_ reference: AssetReference) -> WireValue {
        .asset(WireAsset(fileChecksum: reference.checksum, size: reference.size))
    }

    /// A bench with a note that the server has.
    private func synced(_ photo: AssetReference) throws -> JournalBench {
        let bench = try JournalBench(excluded: ["photo"])
        try bench.apply([record(1, "a", ["title": .string("note"), "photo": Self.wire(photo)])])
        return bench
    }

    private func fields(_ item: PushItem) throws -> [String: WireValue?] {
        guard let encoded = item.operation.record.encodedFields else { return item.operation.record.fields }
        return try WireRecord.Fields(json: encoded).values
    }

    @Test("the asset that the server has is left out, and what else has changed goes")
    func same() throws {
        let bench = try synced(Self.absent)
        try bench.update(1, ["photo": .asset(Self.there), "title": "edited"])
        try bench.update(1, ["photo": .asset(Self.absent)])
        let batch = try #require(try bench.prepare().batch)
        #expect(try fields(batch.items[0]) == ["title": .string("edited")])
        try bench.settle(batch, .done(changeTag: "b"))
        #expect(try bench.value(1, "photo") == .asset(Self.absent))
        #expect(try bench.entry(1) == nil)
    }

    @Test("a change of nothing else leaves the outbox unsent", arguments: [true, false])
    func nothingElse(isUndone: Bool) throws {
        let bench = try synced(Self.there)
        try bench.update(1, ["photo": .asset(Self.absent)])
        if isUndone { try bench.update(1, ["photo": .asset(Self.there)]) }
        let prepared = try bench.prepare()
        #expect(prepared.batch == nil && prepared.isLast && prepared.blocked.isEmpty)
        #expect(prepared.changes.updated == (isUndone ? [] : [noteID(1)]))
        #expect(try bench.entry(1) == nil)
        #expect(try bench.value(1, "photo") == .asset(Self.there))
        #expect(try bench.state(1)?.changeTag == "a")
    }

    @Test("another asset than the server's gives way to that, once the server has taken the rest")
    func other() throws {
        let bench = try synced(Self.there)
        try bench.update(1, ["photo": .asset(Self.absent), "title": "edited"])
        let batch = try #require(try bench.prepare().batch)
        #expect(try fields(batch.items[0]) == ["title": .string("edited")])
        let settled = try bench.settle(batch, .done(changeTag: "b"))
        #expect(settled.news.changes.updated == [noteID(1)])
        #expect(try bench.value(1, "photo") == .asset(Self.there))
        #expect(try bench.value(1, "title") == "edited")
    }

    @Test(
        "what takes the place of another asset is downloaded like what comes by itself",
        arguments: [true, false], [true, false])
    func replacement(isAlone: Bool, comesByItself: Bool) throws {
        let bench = try JournalBench(.clientWins, excluded: comesByItself ? [] : ["photo"])
        try bench.apply([record(1, "a", ["title": .string("note"), "photo": Self.wire(Self.absent)])])
        try bench.forgetZone()
        try bench.apply([record(1, "b", ["title": .string("note"), "photo": Self.wire(Self.there)])])
        // The policy keeps the local asset, whose bytes are missing and cannot be sent.
        #expect(try bench.value(1, "photo") == .asset(Self.absent))
        if !isAlone { try bench.update(1, ["title": "edited"]) }
        let prepared = try bench.prepare()
        #expect((prepared.batch == nil) == isAlone)
        #expect(prepared.mayMissAssets == (isAlone && comesByItself))
        if let batch = prepared.batch {
            #expect(try bench.settle(batch, .done(changeTag: "c")).news.mayMissAssets == comesByItself)
        }
        #expect(try bench.value(1, "photo") == .asset(Self.there))
        let wanted = try bench.store.readJournal(WantedAsset.all).filter { $0.reference == Self.there }
        #expect(wanted.map(\.objectID) == (comesByItself ? [noteID(1)] : []))
        #expect(wanted.allSatisfy { $0.key == "photo" && $0.recordName == key(1).uuidString })
    }

    @Test("an object that was deleted and made again takes nothing from its record, which is read again")
    func madeAgain() throws {
        let bench = try synced(Self.there)
        try bench.delete(1)
        try bench.insert(1, ["title": "again", "photo": .asset(Self.absent)])
        let batch = try #require(try bench.prepare().batch)
        let sent = try fields(batch.items[0])
        #expect(batch.items[0].operation.operationType == .update)
        #expect(sent["title"] == WireValue.string("again"))
        #expect(sent.keys.contains("body") && !sent.keys.contains("photo"))
        try bench.settle(batch, .done(changeTag: "b"))
        #expect(try bench.value(1, "photo") == .asset(Self.absent))
        // The tag is known, but the record is read nevertheless.
        let own = record(1, "b", ["title": .string("again"), "photo": Self.wire(Self.there)])
        try bench.apply([own])
        #expect(try bench.value(1, "photo") == .asset(Self.there))
        #expect(try bench.state(1)?.unknownFields == nil)
        #expect(try bench.apply([own]).echoed == 1)
    }

    @Test("an asset that a new record goes without is nil here, unless another one was set meanwhile")
    func meanwhile() throws {
        for isSet in [false, true] {
            let bench = try JournalBench()
            try bench.insert(1, ["title": "note", "photo": .asset(Self.absent)])
            let batch = try #require(try bench.prepare().batch)
            #expect(try !fields(batch.items[0]).keys.contains("photo"))
            let mine = try bench.store.assets.write(Data([1, 2]))
            if isSet { try bench.update(1, ["photo": .asset(mine)]) }
            try bench.settle(batch, .done(changeTag: "b"))
            #expect(try bench.value(1, "photo") == (isSet ? Value.asset(mine) : Value.null))
            #expect(try bench.entry(1)?.fields.map(\.base) == (isSet ? [OutboxEntry.Base.value(.null)] : nil))
            #expect(try bench.prepare().batch?.items.first?.assets == (isSet ? ["photo": mine] : nil))
        }
    }

    @Test("bytes that are here under the name that another server gave them are sent")
    func named() throws {
        let bench = try JournalBench()
        let reference = AssetReference(WireAsset(fileChecksum: "theirs", size: 2), isHash: false)
        try bench.store.assets.accept(Data([1, 2]), as: reference)
        try bench.insert(1, ["title": "note", "photo": .asset(reference)])
        #expect(try bench.prepare().batch?.items.first?.assets == ["photo": reference])
    }
}
