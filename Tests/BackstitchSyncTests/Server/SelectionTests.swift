import Backstitch
import BackstitchSQLite
import BackstitchServer
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("what is sent, and what stays local")
struct SelectionTests: ScenarioSuite {
    /// Notes, whose drafts stay local, with attributes that are synced in one direction or none.
    private static let model = ManagedObjectModel([
        EntityDescription(
            "Note",
            [
                .attribute("title", .string, default: ""), .attribute("body", .string),
                .attribute("isDraft", .boolean, default: false),
                .attribute("place", .integer64, default: 7).synced(.none),
                .attribute("log", .string).synced(.upload), .attribute("score", .integer64).synced(.download),
            ]
        ).synced(where: "isDraft == false")
    ])

    @Test(
        "objects that do not match stay local, go whole when they match, and leave the server when they match no more",
        .scenario)
    func predicate() async throws {
        let (a, b) = try s.pair(model: Self.model)
        let view = try s.zone()
        let id = try await a.add(["title": "draft", "body": "text", "isDraft": true])
        let open = try await a.add(["title": "open"])
        #expect(try await a.sync.sync().sent == 1)
        #expect(try await a.sync.status.pendingCount == 0)
        #expect(try await view.record(id) == nil)
        try await b.sync.sync()
        #expect(try await b.values("title") == ["open"])
        // It matches: the whole note is sent, not only this save's changes.
        try await a.set(id, ["isDraft": false])
        try await a.sync.sync()
        #expect(try await view.record(id)?.value("body") == .string("text"))
        try await b.sync.sync()
        #expect(try await b.values("title") == ["draft", "open"])
        // It no longer matches: it is deleted there, and stays here.
        try await a.set(id, ["isDraft": true])
        try await a.sync.sync()
        #expect(try await view.record(id) == nil)
        #expect(try await b.sync.sync().deleted == [id])
        #expect(try await a.sync.sync().deleted.isEmpty)
        #expect(try await a.values("title") == ["draft", "open"])
        // Later changes of it here concern no other device.
        try await a.set(id, ["title": "draft 2"])
        #expect(try await a.sync.sync().sent == 0)
        try await a.set(id, ["isDraft": false])
        try await s.sync(a, b)
        #expect(try await b.values("title") == ["draft 2", "open"])
        // A full fetch takes no local object for one that the server has lost.
        try await a.set(open, ["isDraft": true])
        try await a.sync.sync()
        try await a.sync.syncFromScratch()
        #expect(try await a.values("title") == ["draft 2", "open"])
    }

    @Test(
        "leaving the server with the answer lost, or against an edit, loses nothing here", .scenario,
        arguments: [true, false], [true, false])
    func withdrawal(isAnswerLost: Bool, isEditedThere: Bool) async throws {
        let (a, b) = try s.pair(model: Self.model)
        let id = try await a.add(["title": "note", "body": "text"])
        try await s.settle(a, b)
        if isEditedThere {
            try await b.set(id, ["body": "edited"])
            try await b.sync.sync()
        }
        try await a.set(id, ["isDraft": true])
        if isAnswerLost { try await s.sync(a, .lostAnswer) }
        try await s.sync(a, b)
        #expect(try await s.zone().record(id) == nil)
        #expect(try await a.values("body") == [isEditedThere ? "edited" : "text"])
        #expect(try await b.values("title") == [])
        #expect(try await a.sync.status.pendingCount == 0)
    }

    @Test(
        "an object that shall be local while its insert is still under way stays as it is, and leaves the server",
        .scenario)
    func withdrawnInsert() async throws {
        let (a, b) = try s.pair(model: Self.model)
        try await s.settle()
        let id = try await a.add(["title": "note", "body": "text"])
        try await s.faults.breakDown(from: 0, endpoint: "records/modify", losesAnswer: false)
        _ = try? await a.sync.sync()
        try await s.faults.clear()
        try await a.set(id, ["isDraft": true, "body": "private"])
        try await a.sync.sync()
        // Now it arrives.
        try await s.zone().create(id.key.uuidString, "Note", ["title": .string("note"), "body": .string("text")])
        try await s.sync(a, b)
        #expect(try await a.values("body") == ["private"])
        #expect(try await s.zone().record(id) == nil)
        #expect(try await b.values("title") == [])
        #expect(try await a.sync.status.pendingCount == 0)
    }

    @Test("a record that comes without matching is taken, and edits of it go", .scenario)
    func foreignDraft() async throws {
        let view = try s.zone()
        try await view.makeZone()
        try await view.create(key(1).uuidString, "Note", ["title": .string("theirs"), "isDraft": .int64(1)])
        let a = try s.device(model: Self.model)
        try await a.sync.sync()
        #expect(try await a.values("title") == ["theirs"])
        try await a.set(noteID(1), ["title": "edited"])
        #expect(try await a.sync.sync().sent == 1)
        #expect(try await view.record(noteID(1))?.value("title") == .string("edited"))
    }

    @Test("attributes go the ways that the model says: both, up, down or none", .scenario)
    func masks() async throws {
        let (a, b) = try s.pair(model: Self.model)
        let view = try s.zone()
        let id = try await a.add(["title": "note", "place": 1, "log": "by a", "score": 5], number: 1)
        try await s.sync(a, b)
        try await s.expectZone("Note 1 isDraft 0 log 'by a' title 'note'")
        try await s.expect(on: [b], "Note 1 isDraft 0 place 7 title 'note'")
        // A change of local attributes only sends nothing.
        try await a.set(id, ["place": 2])
        #expect(try await a.sync.sync().sent == 0)
        #expect(try await a.sync.status.pendingCount == 0)
        // The server's values of them: the score comes, the log does not, and places stay each device's own.
        try await b.set(id, ["place": 30, "log": "by b"])
        try await view.change(id, ["score": .int64(99), "log": .string("by the server")])
        try await s.sync(b, a)
        try await s.expect(on: [b], "Note 1 isDraft 0 log 'by b' place 30 score 99 title 'note'")
        try await s.expect(on: [a], "Note 1 isDraft 0 log 'by a' place 2 score 99 title 'note'")
        try await s.expectZone("Note 1 v2 isDraft 0 log 'by b' score 99 title 'note'")
        // The same where an unsent edit is merged.
        try await a.set(id, ["title": "renamed", "log": "by a again"])
        try await view.change(id, ["body": .string("body"), "score": .int64(100)])
        try await a.sync.sync()
        try await s.expect(
            on: [a], "Note 1 body 'body' isDraft 0 log 'by a again' place 2 score 100 title 'renamed'")
        try await s.expectZone("Note 1 v3 body 'body' isDraft 0 log 'by a again' score 100 title 'renamed'")
    }

    @Test("a local store becomes a synced one, and what is in it is sent once", .onFiles, arguments: [true, false])
    func adoption(byFile: Bool) async throws {
        try await SyncWorld.run { world in
            let folder = world.folder(of: "app")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appending(path: byFile ? "notes.db" : "store.sqlite")
            let local = try PersistentContainer(
                model: SyncTestModel.description, store: .init(type: .sqlite, url: file))
            try await local.perform { context in
                let tag = TestTag(context: context)
                tag.name = "red"
                for number in 0..<300 {
                    let note = TestNote(context: context)
                    note.title = "note \(number)"
                    note.tags = [tag]
                    note.cover = number == 7 ? Data("cover".utf8) : nil
                }
                try context.save()
            }
            try local.close()
            let name = byFile ? "app/notes.db" : "app"
            let first = try world.device(name)
            #expect(try await first.sync.status.pendingCount == 301)
            #expect(try await first.sync.sync().sent == 301)
            try first.close()
            let second = try world.device(name)
            #expect(try await second.sync.sync().sent == 0)
            let other = try world.device()
            try await other.sync.sync()
            #expect(try await other.dump() == second.dump())
            #expect(try await WireView(world).all().count == 301)
        }
    }

    @Test("objects can be removed here only, and come back when asked for", .scenario)
    func removeLocally() async throws {
        let a = try s.device("phone"), b = try s.device()
        let ids = try await a.edit { context in
            let folder = TestFolder(context: context)
            folder.name = "Home"
            return (0..<3).map { number in
                let note = TestNote(context: context)
                note.title = "note \(number)"
                note.folder = folder
                return note.objectID
            }
        }
        let unsent = await #expect(throws: BackstitchError.self) { try await a.sync.objects.removeLocally([ids[0]]) }
        #expect(unsent?.code == .invalidRequest)
        try await s.settle(a, b)
        let all = try await a.dump()
        try await a.sync.objects.removeLocally([ids[0], ids[1]])
        #expect(try await a.titles() == ["note 2"])
        #expect(try await a.sync.sync().sent == 0)
        #expect(try await b.titles().count == 3)
        // They do not come back by themselves: not when they change, not by a full fetch, not by a restart.
        try await b.change(ids[0]) { note, _ in note.body = "changed" }
        try await b.delete(ids[1])
        try await b.sync.sync()
        #expect(try await a.sync.sync().changes.isEmpty)
        try await a.sync.syncFromScratch()
        #expect(try await a.titles() == ["note 2"])
        try a.close()
        let again = try s.device("phone")
        try await again.sync.sync()
        #expect(try await again.titles() == ["note 2"])
        // Asked for, they do: those that are there still.
        try await again.sync.objects.restore(ids)
        #expect(try await again.titles() == ["note 0", "note 2"])
        #expect(try await again.dump() == b.dump())
        #expect(try await again.dump().count == all.count - 1)
        // From here on they are objects like all others.
        try await again.change(ids[0]) { note, _ in note.title = "edited" }
        try await s.settle(again, b)
        #expect(try await b.titles() == ["edited", "note 2"])
    }

    @Test("a configuration is synced while another one stays local, in one container")
    func configurations() async throws {
        var model = ManagedObjectModel([
            EntityDescription("Note", [.attribute("title", .string)]),
            EntityDescription("Setting", [.attribute("name", .string, optional: false)]),
        ])
        model.configurations = ["cloud": ["Note"], "device": ["Setting"]]
        let described = model
        try await SyncWorld.run { world in
            var cloud = PersistentStoreDescription(
                type: .sync, url: world.folder(of: "cloud"),
                options: [.syncServerURL: world.url.absoluteString, .syncAutomatically: false, .syncOnSave: false])
            cloud.configuration = "cloud"
            var local = PersistentStoreDescription(type: .sqlite, url: world.folder(of: "local.sqlite"))
            local.configuration = "device"
            let container = try PersistentContainer(model: described, stores: [local, cloud])
            try await container.perform { context in
                try context.insertObject(entityName: "Note").setValue("travels", forKey: "title")
                try context.insertObject(entityName: "Setting").setValue("stays", forKey: "name")
                try context.save()
            }
            let sync = try container.requireSync()
            #expect(try await sync.sync().sent == 1)
            #expect(try await WireView(world).all().map(\.recordType) == ["Note"])
            let other = try world.device(model: ManagedObjectModel([described.entities[0]]))
            try await other.sync.sync()
            #expect(try await other.values("title") == ["travels"])
            try await other.add(["title": "back"])
            try await other.sync.sync()
            #expect(try await sync.sync().inserted.count == 1)
            let counts = try await container.perform { context in
                try ["Note", "Setting"].map {
                    try context.count(for: FetchRequest<ManagedObject>(entityName: $0))
                }
            }
            #expect(counts == [2, 1])
            try container.close()
        }
    }
}
