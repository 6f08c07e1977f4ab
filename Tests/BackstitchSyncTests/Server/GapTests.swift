import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("cases that others forget")
struct GapTests {
    @Test("a to-one of an object that is there already is relinked everywhere (T1), and cleared from either side (T2)")
    func toOne() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(), b = try world.device()
            let id = try await a.addNote("note")
            _ = try await converge(a, b)
            try await a.change(id) { note, context in
                let folder = TestFolder(context: context)
                folder.name = "Home"
                note.folder = folder
            }
            _ = try await converge(a, b)
            #expect(try await folder(of: id, on: b) == "Home")
            try await b.change(id) { note, _ in note.folder = nil }
            _ = try await converge(b, a)
            #expect(try await folder(of: id, on: a) == nil)
            try await a.change(id) { note, context in note.folder = try context.fetch(FetchRequest<TestFolder>()).first
            }
            _ = try await converge(a, b)
            #expect(try await folder(of: id, on: b) == "Home")
            try await a.change(id) { note, _ in note.folder = nil }
            _ = try await converge(a, b)
            #expect(try await folder(of: id, on: b) == nil)
        }
    }

    @Test("a value that is cleared, with another edit in a later save before the sync, is cleared everywhere (T3)")
    func cleared() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(), b = try world.device()
            let id = try await a.addNote("note") { note, _ in note.body = "text" }
            _ = try await converge(a, b)
            try await a.change(id) { note, _ in note.body = nil }
            try await a.change(id) { note, _ in note.rank = 7 }
            _ = try await converge(a, b)
            let found = try await b.read { context in
                let note = try context.existingObject(with: id) as? TestNote
                return (note?.body, note?.rank)
            }
            #expect(found == (nil, 7))
        }
    }

    @Test("deletions of both sides in one cycle all happen everywhere (T4)")
    func deletions() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(), b = try world.device()
            let one = try await a.addNote("one"), two = try await a.addNote("two")
            _ = try await a.addNote("three")
            _ = try await converge(a, b)
            try await a.delete(one)
            try await b.delete(two)
            let dumps = try await converge(a, b)
            #expect(dumps[0] == dumps[1])
            #expect(try await a.titles() == ["three"])
            #expect(try await WireView(world).all().count == 1)
        }
    }

    @Test(
        "edits of different fields of one object all stay, on all devices, under either policy (T5)",
        arguments: ConflictResolutionPolicy.allCases)
    func disjoint(_ policy: ConflictResolutionPolicy) async throws {
        try await SyncWorld.run { world in
            let a = try world.device(nil, policy: policy), b = try world.device(nil, policy: policy)
            let id = try await a.addNote("title") { note, _ in note.body = "body" }
            _ = try await converge(a, b)
            try await a.change(id) { note, _ in note.title = "A's title" }
            try await b.change(id) { note, _ in note.body = "B's body" }
            let dumps = try await converge(a, b)
            #expect(dumps[0] == dumps[1])
            #expect(dumps[0][0].contains("A's title"))
            #expect(dumps[0][0].contains("B's body"))
        }
    }

    @Test("an edit saved while its object is being sent is sent too (T8)")
    func editInFlight() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(), b = try world.device()
            let id = try await a.addNote("first")
            let arrived = AsyncStream<Void>.makeStream()
            let isFirst = Locked(true)
            await world.faults.set { request in
                guard request.endpoint == "records/modify",
                    isFirst.withLock({ flag in
                        defer { flag = false }
                        return flag
                    })
                else { return nil }
                arrived.continuation.yield()
                return .delay(milliseconds: 300)
            }
            async let summary = a.sync.sync()
            for await _ in arrived.stream { break }
            try await a.change(id) { note, _ in note.title = "second" }
            _ = try await summary
            try await a.sync.sync()
            try await b.sync.sync()
            #expect(try await b.titles() == ["second"])
            #expect(try await a.titles() == ["second"])
            #expect(try await a.sync.status.pendingCount == 0)
        }
    }

    @Test(
        "a write of another device between the pull and the push is not overwritten (T9)",
        arguments: ConflictResolutionPolicy.allCases)
    func race(_ policy: ConflictResolutionPolicy) async throws {
        try await SyncWorld.run { world in
            let a = try world.device(nil, policy: policy), b = try world.device(nil, policy: policy)
            let id = try await a.addNote("base") { note, _ in note.body = "base" }
            _ = try await converge(a, b)
            try await a.change(id) { note, _ in note.title = "A" }
            try await b.change(id) { note, _ in
                note.title = "B"
                note.body = "B"
            }
            let isFirst = Locked(true)
            await world.faults.set { request in
                guard request.endpoint == "records/modify",
                    isFirst.withLock({ flag in
                        defer { flag = false }
                        return flag
                    })
                else { return nil }
                // A has pulled and is about to write: B gets in first.
                do { try await b.sync.sync() } catch { Issue.record(error) }
                return nil
            }
            let summary = try await a.sync.sync()
            #expect(summary.conflicts.map(\.keys) == [["title"]])
            #expect(summary.conflicts.map(\.winner) == [policy == .serverWins ? .server : .client])
            let dumps = try await converge(a, b)
            #expect(dumps[0] == dumps[1])
            #expect(dumps[0][0].contains(policy == .serverWins ? "title=the string \"B\"" : "title=the string \"A\""))
            #expect(dumps[0][0].contains("body=the string \"B\""))
        }
    }

    @Test("dangling references, unknown types and bad values stop nothing (T10)")
    func badRecords() async throws {
        try await SyncWorld.run { world in
            let a = try world.device()
            let view = try WireView(world)
            try await view.makeZone()
            try await view.create(key(1).uuidString, "Note", ["title": .string("dangling"), "folder": reference(99)])
            try await view.create(key(2).uuidString, "Spaceship", ["crew": .int64(3)])
            try await view.create(key(3).uuidString, "Note", ["title": .int64(3)])
            try await view.create(key(4).uuidString, "Note")
            try await view.create(
                "a name from elsewhere", "Note", ["title": .string("foreign"), "extra": .string("kept")])
            let summary = try await a.sync.sync()
            #expect(Set(summary.parked.map(\.recordName)) == [key(2).uuidString, key(3).uuidString])
            #expect(summary.inserted.count == 3)
            #expect(try await a.titles() == ["dangling", "foreign"])
            #expect(try await folder(of: noteID(1), on: a) == nil)
            #expect(try await a.sync.parkedRecords().count == 2)
            // An edit of the foreign record keeps its name and what this version does not know.
            let id = try #require(
                try await a.read { context in
                    try context.fetch(FetchRequest<TestNote>(where: "title == %@", "foreign")).first?.objectID
                })
            try await a.change(id) { note, _ in note.title = "edited" }
            try await a.sync.sync()
            let record = try #require(try await view.record(named: "a name from elsewhere"))
            #expect(record.value("title") == .string("edited"))
            #expect(record.value("extra") == .string("kept"))
        }
    }

    @Test("who has seen an object go has what leads to it again when another device keeps it")
    func linksOfReturned() async throws {
        try await SyncWorld.run { world in
            let deleting = try world.device(), keeping = try world.device(policy: .clientWins), c = try world.device()
            let ids = try await c.edit { context in
                let tag = TestTag(context: context), folder = TestFolder(context: context),
                    note = TestNote(context: context)
                return [tag.objectID, folder.objectID, note.objectID]
            }
            for device in [c, deleting, keeping] { try await device.sync.sync() }
            try await deleting.delete(ids[0], ids[1])
            try await keeping.edit { context in
                for id in ids[0...1] { try context.existingObject(with: id).setValue("kept", forKey: "name") }
            }
            // The deleting device knows nothing of these links.
            try await c.change(ids[2]) { note, context in
                note["tags"] = Set([try context.existingObject(with: ids[0])])
                note.folder = try context.existingObject(with: ids[1]) as? TestFolder
            }
            for device in [c, deleting, c] { try await device.sync.sync() }
            #expect(
                try await c.read { context in
                    let note = try context.existingObject(with: ids[2]) as? TestNote
                    return note?.folder == nil && (note?["tags"] as Set<ManagedObject>?)?.isEmpty == true
                })
            for device in [keeping, deleting, c] { try await device.sync.sync() }
            let fresh = try world.device()
            try await fresh.sync.sync()
            let dump = try await fresh.dump()
            #expect(
                dump.contains {
                    $0.hasPrefix("Note") && $0.contains(ids[0].key.uuidString) && $0.contains(ids[1].key.uuidString)
                })
            for device in [deleting, keeping, c] { #expect(try await device.dump() == dump) }
        }
    }

    @Test("decimals, UUIDs, URIs, transformables, dates and bytes are on the other device as they were (T14)")
    func types() async throws {
        // PostgreSQL stores no U+0000 in a text.
        let text = SyncBacking.current == .sqlite ? "e\u{301} \u{0} 😀" : "e\u{301} 😀"
        try await SyncWorld.run { world in
            let a = try world.device(), b = try world.device()
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
            let dumps = try await converge(a, b)
            #expect(dumps[0] == dumps[1])
            let found = try await b.read { context in
                let note = try context.fetch(FetchRequest<TestNote>()).first
                return (try note?.value(forKey: "price"), try note?.transformed("style", as: [String].self), note?.body)
            }
            #expect(found.0 == .decimal(Decimal(string: "12345678901234567890.123456789") ?? 0))
            #expect(found.1 == ["bold", "ünderline"])
            #expect(found.2.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
        }
    }

    @Test("deleting a parent cascades or nullifies the same everywhere (T15)")
    func deleteRules() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(), b = try world.device()
            try await a.edit { context in
                let home = TestFolder(context: context)
                home.name = "Home"
                let red = TestTag(context: context)
                red.name = "red"
                for number in 0..<3 {
                    let note = TestNote(context: context)
                    note.title = "note \(number)"
                    note.folder = number < 2 ? home : nil
                    note.tags = [red]
                }
            }
            _ = try await converge(a, b)
            // Folder to notes cascades; tag to notes nullifies.
            try await a.edit { context in
                for folder in try context.fetch(FetchRequest<TestFolder>()) { context.delete(folder) }
                for tag in try context.fetch(FetchRequest<TestTag>()) { context.delete(tag) }
            }
            let dumps = try await converge(a, b)
            #expect(dumps[0] == dumps[1])
            #expect(try await b.titles() == ["note 2"])
            let tagCount = try await b.read { try $0.fetch(FetchRequest<TestNote>()).first?.tags.count }
            #expect(tagCount == 0)
        }
    }

    @Test(
        "a failed insert that is edited then arrives with all its fields, and an object made again under its identity anew"
    )
    func madeAgain() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(), b = try world.device()
            let id = try await a.addNote("first") { note, context in
                note.body = "body"
                note.rank = 5
                let tag = TestTag(context: context)
                tag.name = "tag"
                note.tags = [tag]
            }
            await world.faults.set { $0.endpoint == "records/modify" ? .dropConnection : nil }
            await #expect(throws: BackstitchError.self) { try await a.sync.sync() }
            await world.faults.clear()
            try await a.change(id) { note, _ in note.title = "edited" }
            let dumps = try await converge(a, b)
            #expect(dumps[0] == dumps[1] && dumps[0].first { $0.contains("body") }?.contains("edited") == true)
            // Deleted and made again between two syncs, then with a sync in between.
            for syncsBetween in [false, true] {
                try await a.delete(id)
                if syncsBetween { _ = try await converge(a, b) }
                try await a.edit { context in try context.insertObject(with: id).setValue("again", forKey: "title") }
                let dumps = try await converge(a, b)
                #expect(dumps[0] == dumps[1])
                let found = try await b.read { context in
                    let note = try context.existingObject(with: id) as? TestNote
                    return "\(note?.title ?? "") \(note?.body ?? "nil") \(note?.tags.count ?? -1)"
                }
                #expect(found == "again nil 0")
            }
        }
    }

    @Test("one save of many inserts, edits and deletions is one sync (T19)")
    func manyAtOnce() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(), b = try world.device()
            try await a.edit { context in
                for number in 0..<300 {
                    let note = TestNote(context: context)
                    note.title = "old \(number)"
                    note.rank = number
                }
            }
            _ = try await converge(a, b)
            try await a.edit { context in
                for note in try context.fetch(FetchRequest<TestNote>()) {
                    if note.rank % 3 == 0 { context.delete(note) } else if note.rank % 3 == 1 { note.title = "edited" }
                }
                for number in 0..<100 {
                    let note = TestNote(context: context)
                    note.title = "new \(number)"
                }
            }
            #expect(try await a.sync.sync().sent == 300)
            let summary = try await b.sync.sync()
            for ids in [summary.inserted, summary.updated, summary.deleted] { #expect(ids.count == 100) }
            #expect(try await a.dump() == b.dump())
        }
    }

    private func folder(of id: ObjectID, on device: SyncDevice) async throws -> String? {
        try await device.read { context in try (context.existingObject(with: id) as? TestNote)?.folder?.name }
    }
}
