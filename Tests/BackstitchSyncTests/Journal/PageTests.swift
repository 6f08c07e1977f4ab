import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("applying a page (step C)")
struct PageTests {
    @Test("records come, change and go, and the token with them")
    func plain() throws {
        let bench = try JournalBench()
        let first = try bench.apply([
            record(1, "a", ["title": .string("one")]), record(2, "a", ["title": .string("two")]),
        ])
        #expect(first.changes == StoreChanges(inserted: [noteID(1), noteID(2)]))
        let second = try bench.apply([record(1, "b", ["title": .string("uno")]), tombstone(2), tombstone(3)])
        #expect(second.changes == StoreChanges(updated: [noteID(1)], deleted: [noteID(2)]))
        #expect(try bench.value(1, "title") == "uno")
        #expect(try bench.values(2) == nil)
        #expect(try bench.state(2) == nil)
        #expect(try bench.metadata(SyncProperty.token.name) == Data("token 2".utf8))
        #expect(try bench.counts().waiting == 0)
    }

    @Test("a record whose tag is known is skipped: a push's own echo changes nothing")
    func echo() throws {
        let bench = try JournalBench()
        try bench.insert(1, ["title": "a"])
        let batch = try #require(try bench.prepare().batch)
        try bench.settle(batch, .done(changeTag: "t1"))
        #expect(try bench.apply([record(1, "t1", ["title": .string("a")])]).changes.isEmpty)
    }

    @Test("a field that the record lacks is nil")
    func absent() throws {
        let bench = try JournalBench()
        try bench.apply([record(1, "a", ["title": .string("x"), "folder": reference(9)])])
        try bench.apply([record(1, "b", ["title": .string("x")])])
        #expect(try bench.value(1, "folder") == .null)
    }

    @Test("a page that was asked from elsewhere than the store stands now is not applied")
    func superseded() throws {
        let bench = try JournalBench()
        try bench.apply([])
        let stale = FetchedPage(base: "elsewhere", token: "x", moreComing: false, records: [record(1, "a")])
        let applier = PageApplier(settings: bench.settings, sweep: bench.sweep, clock: bench.clock)
        #expect(throws: SyncFailure.self) { try applier.apply(stale, to: bench.store) }
        #expect(try bench.values(1) == nil)
    }

    @Test("that another process has synced is told once, and not lost with a step that fails after its beginning")
    func othersHaveSynced() throws {
        let bench = try JournalBench()
        let (own, other) = (SyncGeneration(), SyncGeneration())
        _ = try own.begin(in: bench.store) { _ in }
        #expect(own.takeMoved())
        #expect(try !own.begin(in: bench.store) { _ in }.isMoved)
        #expect(!own.takeMoved())
        try other.write(to: bench.store) { _ in }
        // This step ends without effect, so it does not ask.
        #expect(try own.begin(in: bench.store) { _ in }.isMoved)
        #expect(try !own.begin(in: bench.store) { _ in }.isMoved)
        #expect(own.takeMoved())
        #expect(!own.takeMoved())
    }

    @Test("a reset that the program asks for hides from nobody that another process has synced before")
    func resetAfterOthers() throws {
        let bench = try JournalBench()
        let (own, other) = (SyncGeneration(), SyncGeneration())
        for _ in 0..<2 { _ = try own.begin(in: bench.store) { _ in } }
        try other.write(to: bench.store) { _ in }
        try own.reset(bench.store) { _ in }
        #expect(try own.begin(in: bench.store) { _ in }.isMoved)
        try own.reset(bench.store) { _ in }
        #expect(try !own.begin(in: bench.store) { _ in }.isMoved)
    }

    @Test("a process that leads no more, and has not heard of it, begins nothing and sends nothing")
    func followedAsLeader() throws {
        let bench = try JournalBench()
        let holder = Locked("former")
        let (former, next) = Self.processes(holder)
        try former.takeLead(of: bench.store) { _ in }
        _ = try former.begin(in: bench.store) { _ in }
        try former.requireUnmoved(bench.store)
        holder.withLock { $0 = "next" }
        try next.takeLead(of: bench.store) { _ in }
        _ = try next.begin(in: bench.store) { _ in }
        #expect(throws: SyncFailure.self) { try former.requireUnmoved(bench.store) }
        #expect(throws: SyncFailure.self) { try former.begin(in: bench.store) { _ in } }
        #expect(throws: SyncFailure.self) { try former.write(to: bench.store) { _ in } }
        try next.requireUnmoved(bench.store)
    }

    @Test("a process that notes its name when it has lost the lock already shuts out nobody")
    func notedLate() throws {
        let bench = try JournalBench()
        let holder = Locked("next")
        let (former, next) = Self.processes(holder)
        try next.takeLead(of: bench.store) { _ in }
        try former.takeLead(of: bench.store) { _ in }
        #expect(try next.begin(in: bench.store) { _ in }.isMoved)
        try next.requireUnmoved(bench.store)
        #expect(throws: SyncFailure.self) { try former.begin(in: bench.store) { _ in } }
    }

    /// Two processes on one store, "former" and "next". One of them holds the lock.
    private static func processes(_ holder: Locked<String>) -> (former: SyncGeneration, next: SyncGeneration) {
        func process(_ name: String) -> SyncGeneration {
            SyncGeneration(lead: SyncLeadClaim(name: name) { holder.withLock { $0 } == name })
        }
        return (process("former"), process("next"))
    }

    @Test("a record before its destination links when that arrives; links to nothing are kept")
    func order() throws {
        let bench = try JournalBench()
        try bench.apply([record(1, "a", ["folder": reference(9), "tags": references(11, 12)])])
        #expect(try bench.value(1, "folder") == .object(ObjectID(entityName: "Folder", key: key(9))))
        #expect(try bench.tags(1) == [key(11), key(12)])
        try bench.apply([record(9, "a", ["name": .string("Home")], type: "Folder"), record(11, "a", type: "Tag")])
        #expect(try bench.values(9, of: "Folder")?["name"] == "Home")
        try bench.apply([record(1, "b", ["tags": references(12, 13)])])
        #expect(try bench.tags(1) == [key(12), key(13)])
        try bench.apply([record(1, "c")])
        #expect(try bench.tags(1) == [])
    }

    @Test("an unsent edit and a pulled change of other fields both stay; the tag is the new one")
    func merge() throws {
        let bench = try known()
        try bench.update(1, ["title": "mine"])
        let applied = try bench.apply([record(1, "t2", ["title": .string("a"), "body": .string("theirs")])])
        #expect(applied.conflicts.isEmpty)
        #expect(applied.changes.updated == [noteID(1)])
        #expect(try bench.value(1, "title") == "mine")
        #expect(try bench.value(1, "body") == "theirs")
        let batch = try #require(try bench.prepare().batch)
        #expect(batch.items[0].operation.record.recordChangeTag == "t2")
        #expect(batch.items[0].entry.fields.map(\.name) == ["title"])
    }

    @Test("a conflict is decided by the policy and listed", arguments: ConflictResolutionPolicy.allCases)
    func conflict(_ policy: ConflictResolutionPolicy) throws {
        let bench = try known(policy)
        try bench.update(1, ["title": "mine"])
        let applied = try bench.apply([record(1, "t2", ["title": .string("theirs")])])
        let winner: SyncConflict.Side = policy == .serverWins ? .server : .client
        let conflict = try #require(applied.conflicts.first)
        #expect(applied.conflicts.count == 1 && conflict.objectID == noteID(1) && conflict.kind == .edits)
        #expect(conflict.keys == ["title"] && conflict.winner == winner && conflict.localDate != nil)
        #expect(try bench.value(1, "title") == (policy == .serverWins ? "theirs" : "mine"))
        #expect(try bench.entry(1)?.fields.first?.base == (policy == .serverWins ? nil : .value("theirs")))
    }

    @Test("a pulled deletion against an unsent edit", arguments: ConflictResolutionPolicy.allCases)
    func deletionAgainstEdit(_ policy: ConflictResolutionPolicy) throws {
        let bench = try known(policy)
        try bench.update(1, ["title": "mine"])
        let applied = try bench.apply([tombstone(1)])
        #expect(applied.conflicts.map(\.kind) == [.editedHereDeletedThere])
        if policy == .serverWins {
            #expect(applied.changes.deleted == [noteID(1)])
            #expect(try bench.values(1) == nil)
            #expect(try bench.prepare().batch == nil)
        } else {
            let batch = try #require(try bench.prepare().batch)
            #expect(batch.items[0].operation.operationType == .create)
            let fields = try WireRecord.Fields(json: batch.items[0].operation.record.encodedFields ?? []).values
            #expect(fields == ["title": .string("mine"), "body": .string("a")])
        }
    }

    @Test("fields that were kept unread and can be read now are read, though the record's version is known")
    func readableNow() throws {
        let bench = try JournalBench()
        try bench.apply([record(1, "a")])
        let fields: [String: WireValue?] = ["title": .string("kept")]
        let kept = Data(try WireRecord.encodeFields(fields, of: "record"))
        try bench.store.writeJournal(author: "test") {
            try $0.putRecordStates([RecordState(objectID: noteID(1), changeTag: "a", unknownFields: kept)])
        }
        try bench.apply([record(1, "a", ["title": .string("kept")])])
        #expect(try bench.value(1, "title") == "kept")
        let state = try bench.store.readJournal { try $0.recordStates(for: [key(1)])[key(1)] }
        #expect(state?.unknownFields == nil)
    }

    @Test("a pulled edit against an unsent deletion", arguments: ConflictResolutionPolicy.allCases)
    func editAgainstDeletion(_ policy: ConflictResolutionPolicy) throws {
        let bench = try known(policy)
        try bench.delete(1)
        let applied = try bench.apply([record(1, "t2", ["title": .string("theirs"), "tags": references(11)])])
        #expect(applied.conflicts.map(\.kind) == [.deletedHereEditedThere])
        if policy == .serverWins {
            #expect(applied.changes.inserted == [noteID(1)])
            #expect(try bench.value(1, "title") == "theirs")
            #expect(try bench.tags(1) == [key(11)])
            #expect(try bench.entry(1) == nil)
        } else {
            #expect(try bench.values(1) == nil)
            let batch = try #require(try bench.prepare().batch)
            #expect(batch.items[0].operation.operationType == .delete)
            #expect(batch.items[0].operation.record.recordChangeTag == "t2")
        }
    }

    @Test("a blocked change is merged like any other, and may go again")
    func blocked() throws {
        let bench = try known()
        try bench.update(1, ["title": "mine"])
        let batch = try #require(try bench.prepare().batch)
        try bench.settle(batch, .refused(reason: "no"))
        try bench.apply([record(1, "t2", ["title": .string("a"), "body": .string("theirs")])])
        #expect(try bench.entry(1)?.blockedReason == nil)
        #expect(try bench.value(1, "title") == "mine")
    }

    @Test("records from elsewhere keep their names: in updates, references and deletions")
    func foreignNames() throws {
        let bench = try JournalBench()
        var note = WireRecord(
            recordName: "my note", recordType: "Note", recordChangeTag: "a", fields: ["title": .string("x")])
        note.fields["folder"] = .reference(WireReference(recordName: "my folder"))
        try bench.apply([
            note, WireRecord(recordName: "my folder", recordType: "Folder", recordChangeTag: "a"),
        ])
        let id = RecordName.key(of: "my note", zone: "Z").key
        let folder = RecordName.key(of: "my folder", zone: "Z").key
        #expect(try bench.state(of: id)?.foreignName == "my note")
        try bench.insert(1, ["folder": .object(ObjectID(entityName: "Folder", key: folder))])
        let batch = try #require(try bench.prepare().batch)
        let fields = try WireRecord.Fields(json: batch.items[0].operation.record.encodedFields ?? []).values
        #expect(fields["folder"] == .reference(WireReference(recordName: "my folder")))
        try bench.apply([WireRecord(recordName: "my note", deleted: true)])
        #expect(try bench.state(of: id) == nil)
    }

    private func known(_ policy: ConflictResolutionPolicy = .serverWins) throws -> JournalBench {
        let bench = try JournalBench(policy)
        try bench.apply([record(1, "t1", ["title": .string("a"), "body": .string("a")])])
        return bench
    }
}

func reference(_ number: UInt64) -> WireValue { .reference(WireReference(recordName: key(number).uuidString)) }

func references(_ numbers: UInt64...) -> WireValue {
    .referenceList(numbers.map { WireReference(recordName: key($0).uuidString) })
}

extension JournalBench {
    func state(of key: ObjectKey) throws -> RecordState? {
        try store.readJournal { try $0.recordStates(for: [key])[key] }
    }
}
