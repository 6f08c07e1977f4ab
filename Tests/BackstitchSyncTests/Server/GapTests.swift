import Backstitch
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("cases that others forget", .scenario)
struct GapTests: ScenarioSuite {
    @Test("a to-one of an object that is there already is relinked everywhere (T1), and cleared from either side (T2)")
    func toOne() async throws {
        let (a, b) = try s.pair()
        let id = try await a.add(["title": "note"], number: 1)
        try await s.settle()
        try await a.change(id) { $0["folder"] = try $1.make("Folder", ["name": "Home"], number: 2) as ManagedObject? }
        for clearing in [b, a] {
            try await s.settle()
            try await s.expect("Folder 2 name 'Home'", "Note 1 folder ->2 title 'note'")
            try await clearing.change(id) { note, _ in note.folder = nil }
            try await s.settle(b, a)
            try await s.expect("Folder 2 name 'Home'", "Note 1 title 'note'")
            try await a.change(id) { $0.folder = try $1.fetch(FetchRequest<TestFolder>()).first }
        }
    }

    @Test("a value that is cleared, with another edit in a later save before the sync, is cleared everywhere (T3)")
    func cleared() async throws {
        let (a, _) = try s.pair()
        let id = try await a.add(["title": "note", "body": "text"], number: 1)
        try await s.settle()
        try await a.set(id, ["body": .null])
        try await a.set(id, ["rank": 7])
        try await s.settle()
        try await s.expect("Note 1 rank 7 title 'note'")
    }

    @Test("deletions of both sides in one cycle all happen everywhere (T4)")
    func deletions() async throws {
        let (a, b) = try s.pair()
        for number in 1...3 { try await a.add(["title": "note"], number: UInt64(number)) }
        try await s.settle()
        try await a.delete(noteID(1))
        try await b.delete(noteID(2))
        try await s.settle()
        try await s.expect("Note 3 title 'note'")
    }

    @Test(
        "edits of different fields of one object all stay, on all devices, under either policy (T5)",
        arguments: ConflictResolutionPolicy.allCases)
    func disjoint(_ policy: ConflictResolutionPolicy) async throws {
        let (a, b) = try s.pair(policy: policy)
        let id = try await a.add(["title": "title", "body": "body"], number: 1)
        try await s.settle()
        try await a.set(id, ["title": "by A"])
        try await b.set(id, ["body": "by B"])
        try await s.settle()
        try await s.expect("Note 1 body 'by B' title 'by A'")
    }

    @Test("an edit saved while its object is being sent is sent too (T8)")
    func editInFlight() async throws {
        let (a, b) = try s.pair()
        let id = try await a.add(["title": "first"], number: 1)
        try await s.atNextPush { try await a.set(id, ["title": "second"]) }
        try await s.sync(a, a, b)
        try await s.expect("Note 1 title 'second'")
        try await s.expectNothingUnsent()
    }

    @Test(
        "a write of another device between the pull and the push is not overwritten (T9)",
        arguments: ConflictResolutionPolicy.allCases)
    func race(_ policy: ConflictResolutionPolicy) async throws {
        let (a, b) = try s.pair(policy: policy)
        let id = try await a.add(["title": "base", "body": "base"], number: 1)
        try await s.settle()
        try await a.set(id, ["title": "A"])
        try await b.set(id, ["title": "B", "body": "B"])
        // A has pulled and is about to write: B gets in first.
        try await s.atNextPush { try await b.sync.sync() }
        let summary = try await a.sync.sync()
        #expect(summary.conflicts.map(\.keys) == [["title"]])
        #expect(summary.conflicts.map(\.winner) == [policy == .serverWins ? .server : .client])
        try await s.settle()
        try await s.expect("Note 1 body 'B' title '\(policy == .serverWins ? "B" : "A")'")
    }

    @Test("relationships arrive, whichever record comes first")
    func relationships() async throws {
        let (a, b) = try s.pair(), zone = try s.zone()
        try await zone.makeZone()
        // The note is there before its folder and one of its tags.
        try await zone.create(
            key(1).uuidString, "Note",
            ["title": .string("first"), "folder": reference(2), "tags": references(3, 4)])
        for (number, type, name) in [(UInt64(3), "Tag", "red"), (2, "Folder", "Home"), (4, "Tag", "blue")] {
            try await zone.create(key(number).uuidString, type, ["name": .string(name)])
            try await a.sync.sync()
        }
        try await b.sync.sync()
        try await s.expect(
            "Note 1 folder ->2 tags ->3 ->4 title 'first'", "Folder 2 name 'Home'", "Tag 3 name 'red'",
            "Tag 4 name 'blue'")
    }

    @Test(
        "a remote deletion against a local edit, with an unrelated insert", arguments: ConflictResolutionPolicy.allCases
    )
    func deletionAgainstEdit(_ policy: ConflictResolutionPolicy) async throws {
        let a = try s.device(), b = try s.device(policy: policy)
        let id = try await a.add(["title": "contested"], number: 1)
        try await s.settle()
        try await a.delete(id)
        try await a.sync.sync()
        try await b.set(id, ["title": "edited"])
        try await b.add(["title": "unrelated"], number: 2)
        #expect(try await b.sync.sync().conflicts.map(\.kind) == [.editedHereDeletedThere])
        let unrelated = "Note 2 title 'unrelated'"
        let all = policy == .serverWins ? [unrelated] : ["Note 1 title 'edited'", unrelated]
        try await s.expect(on: [b], lines: all)
        try await s.settle()
        try await s.expect(lines: all)
    }

    @Test("dangling references, unknown types and bad values stop nothing (T10)")
    func badRecords() async throws {
        let a = try s.device(), zone = try s.zone()
        try await zone.makeZone()
        try await zone.create(key(1).uuidString, "Note", ["title": .string("dangling"), "folder": reference(99)])
        try await zone.create(key(2).uuidString, "Spaceship", ["crew": .int64(3)])
        try await zone.create(key(3).uuidString, "Note", ["title": .int64(3)])
        try await zone.create(key(4).uuidString, "Note")
        try await zone.create(
            "a name from elsewhere", "Note", ["title": .string("foreign"), "extra": .string("kept")])
        let summary = try await a.sync.sync()
        #expect(Set(summary.parked.map(\.recordName)) == [key(2).uuidString, key(3).uuidString])
        #expect(summary.inserted.count == 3)
        #expect(try await a.titles() == ["dangling", "foreign"])
        #expect(try await a.read { try ($0.existingObject(with: noteID(1)) as? TestNote)?.folder == nil })
        #expect(try await a.sync.blocked.parkedRecords().count == 2)
        // An edit of the foreign record keeps its name and what this version does not know.
        let id = try await a.read { try $0.one("Note", "title == 'foreign'").objectID }
        try await a.set(id, ["title": "edited"])
        try await a.sync.sync()
        let record = try #require(try await zone.record(named: "a name from elsewhere"))
        #expect(record.value("title") == .string("edited"))
        #expect(record.value("extra") == .string("kept"))
    }

    @Test("who has seen an object go has what leads to it again when another device keeps it")
    func linksOfReturned() async throws {
        let deleting = try s.device(), keeping = try s.device(policy: .clientWins), c = try s.device()
        let tag = try await c.add([:], "Tag", number: 1), folder = try await c.add([:], "Folder", number: 2)
        let note = try await c.add([:], number: 3), inner = try await c.add([:], "Folder", number: 4)
        try await s.sync(c, deleting, keeping)
        try await deleting.delete(tag, folder)
        try await keeping.edit { context in
            for id in [tag, folder] { try context.existingObject(with: id).setValue("kept", forKey: "name") }
        }
        // The deleting device knows nothing of these links.
        try await c.change(note) { note, context in
            note["tags"] = Set([try context.existingObject(with: tag)])
            try context.existingObject(with: inner).setObject(context.existingObject(with: folder), forKey: "parent")
        }
        try await s.sync(c, deleting, c)
        try await s.expect(on: [c], "Folder 4", "Note 3 title ''")
        try await s.sync(keeping, deleting, c)
        try await s.sync(s.device())
        try await s.expect(
            "Tag 1 name 'kept'", "Folder 2 name 'kept'", "Folder 4 parent ->2", "Note 3 tags ->1 title ''")
    }

    @Test("decimals, UUIDs, URIs, transformables, dates and bytes are on the other device as they were (T14)")
    func types() async throws {
        // PostgreSQL stores no U+0000 in a text.
        let text = SyncBacking.current == .sqlite ? "e\u{301} \u{0} 😀" : "e\u{301} 😀"
        let (a, b) = try s.pair()
        _ = try await a.addNote("all") { note, _ in
            try note.setValue(.int(.min), forKey: "rank")
            try note.setValue(.int(-32_768), forKey: "small")
            try note.setValue(.int(2_147_483_647), forKey: "medium")
            try note.setValue(true, forKey: "done")
            try note.setValue(.decimal(Decimal(string: "12345678901234567890.123456789") ?? 0), forKey: "price")
            try note.setValue(0.1, forKey: "ratio")
            try note.setValue(.double(Double(Float(0.1))), forKey: "share")
            try note.setValue(.date(Date(milliseconds: -62_135_596_800_001)), forKey: "created")
            try note.setValue(.uuid(key(5).uuid), forKey: "token")
            try note.setValue(.uri(try #require(URL(string: "https://example.org/ä?x=%20"))), forKey: "link")
            try note.setValue(.data(Data([0, 1, 255])), forKey: "blob")
            try note.setTransformed(["bold", "ünderline"], forKey: "style")
            note.body = text
        }
        try await s.settle()
        let found = try await b.read { context in
            let note = try context.fetch(FetchRequest<TestNote>()).first
            return (try note?.value(forKey: "price"), try note?.transformed("style", as: [String].self), note?.body)
        }
        #expect(found.0 == .decimal(Decimal(string: "12345678901234567890.123456789") ?? 0))
        #expect(found.1 == ["bold", "ünderline"])
        #expect(found.2.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
    }

    @Test("deleting a parent cascades or nullifies the same everywhere (T15)")
    func deleteRules() async throws {
        let (a, _) = try s.pair()
        try await a.edit { context in
            let home = try context.make("Folder", ["name": "Home"], number: 4)
            let red = try context.make("Tag", ["name": "red"], number: 5)
            for number in UInt64(1)...3 {
                let note = try context.make("Note", ["title": .string("note \(number)")], number: number)
                if number < 3 { note["folder"] = home as ManagedObject? }
                note["tags"] = Set([red])
            }
        }
        try await s.settle()
        // Folder to notes cascades; tag to notes nullifies.
        try await a.delete(ObjectID(entityName: "Folder", key: key(4)), ObjectID(entityName: "Tag", key: key(5)))
        try await s.settle()
        try await s.expect("Note 3 title 'note 3'")
    }

    @Test(
        "a failed insert that is edited then arrives with all its fields, and an object made again under its identity anew"
    )
    func madeAgain() async throws {
        let (a, _) = try s.pair()
        let id = try await a.edit { context in
            let note = try context.make("Note", ["title": "first", "body": "body", "rank": 5], number: 1)
            note["tags"] = Set([try context.make("Tag", ["name": "tag"], number: 2)])
            return note.objectID
        }
        try await s.sync(a, .cut)
        try await a.set(id, ["title": "edited"])
        try await s.settle()
        try await s.expect("Note 1 body 'body' rank 5 tags ->2 title 'edited'", "Tag 2 name 'tag'")
        // Deleted and made again between two syncs, then with a sync in between.
        for syncsBetween in [false, true] {
            try await a.delete(id)
            if syncsBetween { try await s.settle() }
            try await a.add(["title": "again"], number: 1)
            try await s.settle()
            try await s.expect("Note 1 title 'again'", "Tag 2 name 'tag'")
        }
    }

    @Test("one save of many inserts, edits and deletions is one sync (T19)")
    func manyAtOnce() async throws {
        let (a, b) = try s.pair()
        _ = try await a.addNotes(300)
        try await s.settle()
        try await a.edit { context in
            for note in try context.fetch(FetchRequest<TestNote>()) {
                if note.rank % 3 == 0 { context.delete(note) } else if note.rank % 3 == 1 { note.title = "edited" }
            }
            for number in 0..<100 { TestNote(context: context).title = "new \(number)" }
        }
        #expect(try await a.sync.sync().sent == 300)
        let summary = try await b.sync.sync()
        for ids in [summary.inserted, summary.updated, summary.deleted] { #expect(ids.count == 100) }
        #expect(try await a.dump() == b.dump())
    }
}
