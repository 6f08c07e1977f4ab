import Backstitch
import BackstitchSQL
import BackstitchSQLite
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("pushes whose answer was lost")
struct LostAnswerTests {
    @Test(
        "an update that arrived, then another edit: nothing is lost, no conflict is made up",
        arguments: ConflictResolutionPolicy.allCases)
    func updateThenEdit(_ policy: ConflictResolutionPolicy) throws {
        let bench = try pushed(policy)
        try bench.update(1, ["title": "b"])
        _ = try bench.prepare()  // sent; the answer is lost, the server has it as t2
        try bench.update(1, ["title": "c"])
        let batch = try #require(try bench.prepare().batch)
        let settled = try bench.settle(batch, .conflict(record(1, "t2", ["title": .string("b")])))
        #expect(settled.news.conflicts.isEmpty)
        #expect(settled.again == [key(1)])
        #expect(try bench.value(1, "title") == "c")
        let next = try #require(try bench.prepare().batch)
        #expect(next.items[0].operation.record.recordChangeTag == "t2")
    }

    @Test("the same by way of a pull, also after several lost answers")
    func updateThenPull() throws {
        let bench = try pushed(.serverWins)
        for title in ["b", "c", "d"] {
            try bench.update(1, ["title": .string(title)])
            _ = try bench.prepare()
        }
        try bench.update(1, ["title": "e"])
        let applied = try bench.apply([record(1, "t3", ["title": .string("c")])])
        #expect(applied.conflicts.isEmpty)
        #expect(try bench.value(1, "title") == "e")
        #expect(try bench.entry(1)?.fields.map(\.base) == [.value("c")])
        #expect(try bench.metadata(SyncProperty.inFlight.name) == nil)
    }

    @Test(
        "an update that arrived, then a deletion: the object stays deleted",
        arguments: ConflictResolutionPolicy.allCases)
    func updateThenDelete(_ policy: ConflictResolutionPolicy) throws {
        let bench = try pushed(policy)
        try bench.update(1, ["title": "b"])
        _ = try bench.prepare()
        try bench.delete(1)
        let batch = try #require(try bench.prepare().batch)
        #expect(batch.items[0].operation.operationType == .delete)
        let settled = try bench.settle(batch, .conflict(record(1, "t2", ["title": .string("b")])))
        #expect(settled.news.conflicts.isEmpty)
        #expect(try bench.values(1) == nil)
        let next = try #require(try bench.prepare().batch)
        #expect(next.items[0].operation.record.recordChangeTag == "t2")
    }

    @Test("an insert that arrives when its object was deleted, and the server knew nothing of it, is deleted after all")
    func insertAfterDelete() throws {
        let bench = try JournalBench()
        try bench.insert(1, ["title": "a"])
        _ = try bench.prepare()  // sent, and for a long time on its way
        try bench.delete(1)
        let deletion = try #require(try bench.prepare().batch)
        #expect(deletion.items.map(\.operation.operationType) == [.forceDelete])
        try bench.settle(deletion, .done(changeTag: nil))
        #expect(try bench.prepare().batch == nil)
        let applied = try bench.apply([record(1, "t", ["title": .string("a")])])
        #expect(applied.changes.isEmpty)
        #expect(try bench.values(1) == nil)
        let again = try #require(try bench.prepare().batch)
        #expect(again.items.map(\.operation.operationType) == [.delete])
        #expect(again.items[0].operation.record.recordChangeTag == "t")
        try bench.settle(again, .done(changeTag: nil))
        #expect(try bench.counts().waiting == 0)
        // A record of this name that is made from now on is another one.
        try bench.apply([record(1, "u", ["title": .string("b")])])
        #expect(try bench.value(1, "title") == "b")
    }

    @Test("inserts that may still arrive are not forgotten for an hour, however many they are")
    func manyWithdrawn() throws {
        let bench = try JournalBench()
        try bench.store.writeJournal(author: "test") { journal in
            try journal.noteWithdrawn((1...2_000).map { key($0) }, at: 1_000)
            try journal.noteWithdrawn([key(9_999)], at: 3_000_000)
            #expect(try journal.withdrawnInserts().count == 2_001)
            try journal.noteWithdrawn([key(10_000)], at: 3_700_000)
            let left = try journal.withdrawnInserts()
            #expect(left.count == 502 && left[key(9_999)] == 3_000_000 && left[key(10_000)] == 3_700_000)
        }
    }

    @Test("an insert that arrived: its repeat is a conflict with an equal record, which is success")
    func insertTwice() throws {
        let bench = try JournalBench()
        try bench.insert(1, ["title": "a"])
        _ = try bench.prepare()
        let batch = try #require(try bench.prepare().batch)
        let settled = try bench.settle(batch, .conflict(record(1, "t1", ["title": .string("a")])))
        #expect(settled.again.isEmpty)
        #expect(settled.news.conflicts.isEmpty)
        #expect(try bench.entry(1) == nil)
        #expect(try bench.state(1)?.changeTag == "t1")
    }

    @Test(
        "an insert that arrived, then edits here and elsewhere: both stay, under either policy",
        arguments: ConflictResolutionPolicy.allCases)
    func insertThenEdits(_ policy: ConflictResolutionPolicy) throws {
        let bench = try JournalBench(policy)
        try bench.insert(1, ["title": "a", "body": "a"])
        _ = try bench.prepare()
        try bench.update(1, ["title": "b"])
        let applied = try bench.apply([record(1, "t2", ["title": .string("a"), "body": .string("theirs")])])
        #expect(applied.conflicts.isEmpty)
        #expect(try bench.value(1, "title") == "b")
        #expect(try bench.value(1, "body") == "theirs")
        #expect(try bench.entry(1)?.fields.map(\.name) == ["title"])
    }

    @Test(
        "a record that the server says another device has made is not the insert whose answer is lost: both sides are weighed",
        arguments: [("this", 0, "there"), ("other", 1, "here"), (WireStamp.unnamedDevice, 0, "there")])
    func madeElsewhere(_ maker: String, _ conflicts: Int, _ title: String) throws {
        let bench = try JournalBench(.clientWins, device: "this")
        try bench.insert(1, ["title": "here"])
        _ = try bench.prepare()
        var record = record(1, "t", ["title": .string("there")])
        record.created = WireStamp(timestamp: 0, deviceID: maker)
        #expect(try bench.apply([record]).conflicts.count == conflicts)
        #expect(try bench.value(1, "title") == .string(title))
    }

    @Test(
        "an object sent again after its zone was lost is weighed against another device's record, unless this one made it",
        arguments: [("this", 0, "there"), ("other", 1, "here"), (WireStamp.unnamedDevice, 1, "here")])
    func madeAnewElsewhere(_ maker: String, _ conflicts: Int, _ title: String) throws {
        let bench = try JournalBench(.clientWins, device: "this")
        try bench.insert(1, ["title": "here"])
        try bench.pushAll()
        try bench.forgetZone()
        _ = try bench.prepare()
        var record = record(1, "t", ["title": .string("there")])
        record.created = WireStamp(timestamp: 0, deviceID: maker)
        #expect(try bench.apply([record]).conflicts.count == conflicts)
        #expect(try bench.value(1, "title") == .string(title))
    }

    @Test("an insert that the server has refused with its batch, or that was not sent, is known not to be there")
    func takenBackInsert() throws {
        let bench = try JournalBench(.clientWins)
        try bench.insert(1, ["title": "here"])
        try bench.takeBack(#require(try bench.prepare().batch))
        #expect(try bench.metadata(SyncProperty.unanswered.name) == nil)
        let batch = try #require(try bench.prepare().batch)
        let settled = try bench.settle(batch, .conflict(record(1, "t", ["title": .string("there")])))
        #expect(settled.news.conflicts.count == 1)
        #expect(try bench.value(1, "title") == "here")
    }

    @Test("of an insert whose answer was lost before, a refusal of its batch tells nothing")
    func refusedAfterLostAnswer() throws {
        let bench = try JournalBench(.clientWins)
        try bench.insert(1, ["title": "here"])
        _ = try bench.prepare()
        try bench.takeBack(#require(try bench.prepare().batch))
        #expect(try bench.metadata(SyncProperty.unanswered.name) != nil)
        #expect(try bench.apply([record(1, "t", ["title": .string("there")])]).conflicts.isEmpty)
    }

    @Test("the trace of an update that the server has refused with its batch is taken back, earlier ones stay")
    func takenBackUpdate() throws {
        let bench = try pushed(.serverWins)
        try bench.update(1, ["title": "b"])
        _ = try bench.prepare()
        try bench.update(1, ["title": "c"])
        try bench.takeBack(#require(try bench.prepare().batch))
        try bench.update(1, ["title": "d"])
        // Another device's value, which only looks like the one of the refused push.
        let applied = try bench.apply([record(1, "t2", ["title": .string("c")])])
        #expect(applied.conflicts.count == 1)
        #expect(try bench.value(1, "title") == "c")
    }

    @Test("an insert that arrived, then a deletion: it is deleted on the server too, whatever it is there")
    func insertThenDelete() throws {
        let bench = try JournalBench()
        try bench.insert(1)
        _ = try bench.prepare()
        try bench.delete(1)
        #expect(try bench.prepare().batch?.items.map(\.operation.operationType) == [.forceDelete])
    }

    @Test(
        "the same when a pull brings the record first: it does not come back",
        arguments: ConflictResolutionPolicy.allCases)
    func insertThenDeleteThenPull(_ policy: ConflictResolutionPolicy) throws {
        let bench = try JournalBench(policy)
        try bench.insert(1)
        _ = try bench.prepare()
        try bench.delete(1)
        let applied = try bench.apply([record(1, "t1")])
        #expect(applied.conflicts.isEmpty)
        #expect(try bench.values(1) == nil)
        let batch = try #require(try bench.prepare().batch)
        #expect(batch.items[0].operation.operationType == .delete)
        #expect(batch.items[0].operation.record.recordChangeTag == "t1")
    }

    @Test(
        "an insert that arrived, and that another device has deleted since, stays deleted, however that is heard",
        arguments: ConflictResolutionPolicy.allCases, [true, false])
    func insertThenDeletedElsewhere(_ policy: ConflictResolutionPolicy, byPull: Bool) throws {
        let bench = try JournalBench(policy)
        try bench.insert(1, ["title": "first"])
        try bench.update(1, ["title": "second"])
        _ = try bench.prepare()
        let news: AppliedChanges
        if byPull {
            news = try bench.apply([tombstone(1)])
        } else {
            news = try bench.settle(try #require(try bench.prepare().batch), .conflict(nil)).news
        }
        #expect(news.conflicts.isEmpty)
        #expect(try bench.values(1) == nil)
        #expect(try bench.entry(1) == nil)
        #expect(try bench.prepare().batch == nil)
    }

    @Test("the same with an edit made here after that push: only that edit is in conflict", arguments: [true, false])
    func insertThenEditThenDeletedElsewhere(byPull: Bool) throws {
        for policy in ConflictResolutionPolicy.allCases {
            let bench = try JournalBench(policy)
            try bench.insert(1, ["title": "first"])
            try bench.update(1, ["title": "second"])
            _ = try bench.prepare()
            try bench.update(1, ["body": "unheard"])
            let news: AppliedChanges
            if byPull {
                // A second push with a lost answer changes nothing: the first one may have arrived.
                _ = try bench.prepare()
                news = try bench.apply([tombstone(1)])
            } else {
                news = try bench.settle(try #require(try bench.prepare().batch), .conflict(nil)).news
            }
            #expect(news.conflicts.map(\.keys) == [["body"]])
            #expect(try bench.value(1, "body") == (policy == .clientWins ? "unheard" : nil))
            #expect(try bench.entry(1)?.kind == (policy == .clientWins ? .insert : nil))
        }
    }

    @Test(
        "an object that was deleted and is inserted again lives on, though the deletion is heard of afterwards",
        arguments: ConflictResolutionPolicy.allCases)
    func deletedThenInsertedAgain(_ policy: ConflictResolutionPolicy) throws {
        let bench = try pushed(policy)
        try bench.delete(1)
        try bench.pushAll()
        try bench.insert(1, ["title": "again"])
        _ = try bench.prepare()  // sent; the answer is lost
        #expect(try bench.apply([tombstone(1)]).conflicts.isEmpty)
        #expect(try bench.value(1, "title") == "again")
        #expect(try bench.prepare().batch?.items.map(\.operation.operationType) == [.create])
        // The next tombstone belongs to another device.
        #expect(try bench.apply([tombstone(1)]).conflicts.isEmpty)
        #expect(try bench.values(1) == nil)
    }

    @Test(
        "an object stays that is there again before the answer to its deletion, which is lost",
        arguments: ConflictResolutionPolicy.allCases)
    func deletionUndone(_ policy: ConflictResolutionPolicy) throws {
        let bench = try pushed(policy)
        try bench.delete(1)
        _ = try bench.prepare()  // sent; the answer is lost
        try bench.insert(1, ["title": "again"])
        #expect(try bench.apply([tombstone(1)]).conflicts.isEmpty)
        #expect(try bench.value(1, "title") == "again")
        #expect(try bench.prepare().batch?.items.map(\.operation.operationType) == [.create])
    }

    @Test("an object that is there again after its deletion is not taken for its insert that had no answer")
    func insertOfFormerLife() throws {
        let bench = try JournalBench()
        try bench.insert(1, ["title": "former"])
        _ = try bench.prepare()  // sent; it arrives late
        try bench.delete(1)
        try bench.pushAll()
        try bench.insert(1, ["title": "again"])
        let conflicts = try bench.apply([record(1, "t", ["title": .string("former")])]).conflicts
        #expect(conflicts.map(\.keys) == [["title"]])
    }

    @Test(
        "an object that is sent again to a zone that was made anew may be another device's: its edits stay in conflict")
    func refillThenDeletedElsewhere() throws {
        let bench = try pushed(.clientWins)
        try bench.insert(2, ["title": "untouched"])
        try bench.pushAll()
        try bench.update(1, ["title": "edited"])
        try bench.store.forgetZone(bench.model)
        _ = try bench.settings.generation.begin(in: bench.store) { _ in }
        _ = try bench.prepare()
        let applied = try bench.apply([tombstone(1), tombstone(2)])
        #expect(applied.conflicts.map(\.objectID) == [noteID(1)])
        #expect(try bench.value(1, "title") == "edited")
        #expect(try bench.values(2) == nil)
    }

    @Test("what an older version noted of inserts under way is read, and tells nothing of their edits")
    func olderNote() throws {
        let bench = try JournalBench(.clientWins)
        try bench.insert(1, ["title": "first"])
        try bench.update(1, ["title": "second"])
        try bench.insert(2, ["title": "untouched"])
        _ = try bench.prepare()
        try bench.store.writeJournal(author: "test") {
            try $0.setMetadata(Data(ObjectKey.bytes([key(1), key(2)])), for: SyncProperty.unanswered.name)
        }
        #expect(try bench.apply([tombstone(1), tombstone(2)]).conflicts.map(\.objectID) == [noteID(1)])
        #expect(try bench.values(2) == nil)
    }

    @Test("the note of inserts under way is read as it was written", arguments: [0, 1, 2, 3, 50, 2_000])
    func note(count: UInt64) throws {
        var inserts = UnansweredInserts()
        inserts.add((0..<count).map { .init(key: key($0), sequence: Int64($0) * 1_000) })
        let read = try inserts.storedForm.map { try UnansweredInserts(storedForm: $0) } ?? UnansweredInserts()
        #expect(read == inserts)
        #expect(inserts.sequences.count == count)
    }

    private func pushed(_ policy: ConflictResolutionPolicy) throws -> JournalBench {
        let bench = try JournalBench(policy)
        try bench.insert(1, ["title": "a"])
        let batch = try #require(try bench.prepare().batch)
        try bench.settle(batch, .done(changeTag: "t1"))
        return bench
    }

    @Test(
        "an insert that was edited before it arrived, then edited again: the last edit stays, however the record comes",
        arguments: [true, false])
    func editedInsert(byPull: Bool) throws {
        let bench = try JournalBench()
        try bench.insert(1, ["title": "first"])
        try bench.update(1, ["title": "second"])
        _ = try #require(try bench.prepare().batch)
        // The server has the second title; the answer is lost.
        try bench.update(1, ["title": "third"])
        let arrived = record(1, "a", ["title": .string("second")])
        if byPull {
            #expect(try bench.apply([arrived]).conflicts.isEmpty)
        } else {
            let batch = try #require(try bench.prepare().batch)
            #expect(try bench.settle(batch, .conflict(arrived)).news.conflicts.isEmpty)
        }
        #expect(try bench.value(1, "title") == "third")
        #expect(try bench.entry(1)?.fields.map(\.name) == ["title"])
    }
}
