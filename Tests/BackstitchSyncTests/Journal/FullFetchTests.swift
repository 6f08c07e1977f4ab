import Backstitch
import BackstitchSQL
import BackstitchSQLite
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("reading everything again")
struct FullFetchTests {
    @Test("what the server no longer has is deleted, unsent edits and new objects stay")
    func sweep() throws {
        let bench = try JournalBench()
        try bench.apply((1...5).map { record($0, "a", ["title": .string("\($0)")]) })
        try bench.update(3, ["title": "edited"])
        try bench.delete(4)
        try bench.insert(6, ["title": "new"])
        try bench.store.beginFullFetch(.missed, bench.sweep, bench.settings.generation)
        #expect(try bench.metadata(SyncProperty.token.name) == nil)
        try bench.apply([record(1, "a", ["title": .string("1")])], more: true)
        let applied = try bench.apply([record(5, "b", ["title": .string("five")])])
        #expect(applied.changes == StoreChanges(updated: [noteID(5)], deleted: [noteID(2)]))
        #expect(
            applied.conflicts == [
                SyncConflict(objectID: noteID(3), kind: .editedHereDeletedThere, keys: ["title"], winner: .client)
            ])
        #expect(try bench.value(1, "title") == "1")
        #expect(try bench.values(2) == nil)
        #expect(try bench.value(3, "title") == "edited")
        #expect(try bench.values(4) == nil)
        #expect(try bench.value(6, "title") == "new")
        let batch = try #require(try bench.prepare().batch)
        #expect(batch.items.map(\.operation.operationType) == [.create, .create])
        #expect(Set(batch.keys) == [key(3), key(6)])
        #expect(try bench.metadata(SyncProperty.sweep.name) == nil)
    }

    @Test("a deletion under way is over when a full fetch lacks its record: the next one is another device's")
    func deletionUnderWay() throws {
        let bench = try JournalBench()
        try bench.apply([record(1, "a"), record(2, "a")])
        try bench.delete(1)
        _ = try bench.prepare()  // sent; the answer is lost
        try bench.store.beginFullFetch(.missed, bench.sweep, bench.settings.generation)
        try bench.apply([record(2, "a")])
        #expect(try bench.counts().waiting == 0)
        try bench.insert(1, ["title": "again"])
        _ = try bench.prepare()  // arrives, and another device deletes it
        try bench.update(1, ["title": "edited"])
        #expect(try bench.apply([tombstone(1)]).conflicts.map(\.keys) == [["title"]])
    }

    @Test("a full fetch that lacks the record of a deletion under way leaves an object that is there again")
    func deletionUndone() throws {
        let bench = try JournalBench()
        try bench.apply([record(1, "a"), record(2, "a")])
        try bench.delete(1)
        _ = try bench.prepare()  // sent; the answer is lost
        try bench.insert(1, ["title": "again"])
        try bench.store.beginFullFetch(.missed, bench.sweep, bench.settings.generation)
        let applied = try bench.apply([record(2, "a")])
        #expect(applied.changes.deleted.isEmpty)
        #expect(try bench.value(1, "title") == "again")
        #expect(try bench.prepare().batch?.items.map(\.operation.operationType) == [.create])
    }

    @Test(
        "a record with the known tag is read unless the tag names its history: another history counts its changes anew",
        arguments: [SweepMode.missed, .restored])
    func knownTagOfAnotherHistory(_ mode: SweepMode) throws {
        let bench = try JournalBench()
        try bench.apply([record(1, "a", ["title": .string("1")]), record(2, "5.a", ["title": .string("2")])])
        try bench.store.beginFullFetch(mode, bench.sweep, bench.settings.generation)
        var page = try bench.fetch([
            record(1, "a", ["title": .string("other")]), record(2, "5.a", ["title": .string("never")]),
        ])
        page.history = "5"
        #expect(try bench.apply(page).changes == StoreChanges(updated: [noteID(1)]))
        #expect(try bench.value(1, "title") == "other")
        #expect(try bench.value(2, "title") == "2")
    }

    @Test("of a zone that may be another one nothing is deleted because a full fetch lacks it")
    func unproven() throws {
        let bench = try JournalBench()
        try bench.store.writeJournal(author: SyncAuthor.name) { try $0.remove(.incarnation) }
        try bench.apply((1...3).map { record($0, "a") })
        try bench.store.beginFullFetch(.missed, bench.sweep, bench.settings.generation)
        let failure = #expect(throws: SyncFailure.self) { try bench.apply([record(1, "a"), record(2, "a")]) }
        #expect(failure?.kind == .zoneNotFound)
        #expect(try bench.values(3) != nil)
        // A zone that has all known records is the same one.
        let applied = try bench.apply((1...4).map { record($0, "a") })
        #expect(applied.changes.inserted == [noteID(4)] && applied.changes.deleted.isEmpty)
    }

    @Test("a full fetch that a restart interrupts begins again, and deletes nothing by mistake")
    func interrupted() throws {
        let bench = try JournalBench()
        try bench.apply((1...3).map { record($0, "a") })
        try bench.store.beginFullFetch(.missed, bench.sweep, bench.settings.generation)
        try bench.apply([record(1, "a")], more: true)
        // Another process: the memory of what was seen is gone.
        let later = FullFetchTracker()
        #expect(try bench.store.beginPull(later, bench.settings.generation).token == nil)
        #expect(try bench.metadata(SyncProperty.token.name) == nil)
        let page = FetchedPage(base: nil, token: "x", moreComing: false, records: [record(1, "a"), record(2, "a")])
        let applied = try PageApplier(settings: bench.settings, sweep: later, clock: bench.clock).apply(
            page, to: bench.store)
        #expect(applied.changes == StoreChanges(deleted: [noteID(3)]))
    }

    @Test("what a new version of the model wants to be read again still is when the token is refused on the way")
    func refusedWhileReapplying() throws {
        let bench = try JournalBench()
        _ = try bench.store.openSync(scope: "one", model: bench.model)
        try bench.apply([record(1, "a")])
        try bench.store.writeJournal(author: "test") { try $0.set(.fingerprint, to: "older") }
        _ = try bench.store.openSync(scope: "one", model: bench.model)
        try bench.store.beginFullFetch(.missed, bench.sweep, bench.settings.generation)
        let applied = try bench.apply([record(1, "a", ["title": .string("now known")])])
        #expect(applied.changes.updated == [noteID(1)])
        #expect(try bench.value(1, "title") == "now known")
    }

    @Test("a zone that is gone is filled again with everything that is here")
    func zoneGone() throws {
        let bench = try JournalBench()
        var foreign = WireRecord(recordName: "foreign", recordType: "Note", recordChangeTag: "a")
        foreign.fields["title"] = .string("from elsewhere")
        try bench.apply([record(1, "a", ["title": .string("1")]), record(2, "a"), foreign])
        try bench.update(1, ["title": "edited"])
        try bench.delete(2)
        try bench.insert(3, ["title": "new"])
        try bench.store.forgetZone(bench.model, bench.settings.generation)
        try bench.begin()
        #expect(try bench.metadata(SyncProperty.token.name) == nil)
        let batch = try #require(try bench.prepare().batch)
        #expect(batch.items.allSatisfy { $0.operation.operationType == .create })
        #expect(
            Set(batch.items.map(\.operation.record.recordName)) == [key(1).uuidString, key(3).uuidString, "foreign"])
        #expect(try bench.values(2) == nil)
    }

    @Test(
        "what is deleted before or after the zone is gone, and before it is sent again, is still deleted in the next one"
    )
    func deletionsOutliveZone() throws {
        let bench = try JournalBench()
        try bench.apply([record(1, "a"), record(2, "a"), record(3, "a")])
        try bench.delete(1)
        try bench.store.forgetZone(bench.model, keepsDeletions: true, bench.settings.generation)
        try bench.begin()
        try bench.delete(2)
        let items = try #require(try bench.prepare().batch).items
        #expect(
            Dictionary(uniqueKeysWithValues: items.map { ($0.entry.objectID.key, $0.operation.operationType) })
                == [key(1): .forceDelete, key(2): .forceDelete, key(3): .create])
    }

    @Test("a store that is opened with another zone sends everything there")
    func otherScope() throws {
        let bench = try JournalBench()
        _ = try bench.store.openSync(scope: "one", model: bench.model)
        try bench.apply([record(1, "a", ["title": .string("1")])])
        _ = try bench.store.openSync(scope: "two", model: bench.model)
        try bench.begin()
        #expect(try bench.prepare().batch?.items.map(\.operation.operationType) == [.create])
    }

    @Test("assets that should be here are noted with their records, excluded ones are not")
    func assets() throws {
        let bench = try JournalBench(excluded: ["Note.photo"])
        let applied = try bench.apply([
            record(
                1, "a",
                [
                    "photo": .asset(WireAsset(fileChecksum: "sum", size: 3, downloadURL: "http://x/1")),
                    "cover": .asset(WireAsset(fileChecksum: "other", size: 4, downloadURL: "http://x/2")),
                ])
        ])
        #expect(applied.mayMissAssets)
        let wanted = try bench.store.readJournal(WantedAsset.all)
        #expect(wanted.map(\.key) == ["cover"])
        #expect(wanted.first?.downloadURL == "http://x/2")
        #expect(try bench.value(1, "photo") == .asset(AssetReference(checksum: "sum", size: 3)))
        // Nil there is nil here; not downloaded is not nil.
        try bench.apply([record(1, "b", ["photo": .asset(WireAsset(fileChecksum: "sum", size: 3))])])
        #expect(try bench.value(1, "photo") == .asset(AssetReference(checksum: "sum", size: 3)))
        #expect(try bench.value(1, "cover") == .null)
    }
}
