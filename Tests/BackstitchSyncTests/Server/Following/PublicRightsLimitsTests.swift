import Backstitch
import BackstitchSimulator
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("rights in the public database: links, unsent objects, unknown makers", .timeLimit(.minutes(5)))
struct PublicRightsLimitsTests {
    @Test(
        "the deletion of an own object ends links of others' objects, on this device alone", arguments: [false, true])
    func unlinked(_ isBatch: Bool) async throws {
        try await RoleServer.run { server in
            let alice = try await server.reader("alice"), bob = try await server.reader("bob")
            let (tag, folder) = try await bob.edit { context in
                (
                    try context.make("Tag", ["name": .string("of Bob")]).objectID,
                    try context.make("Folder", ["name": .string("of Bob")]).objectID
                )
            }
            for device in [bob, alice] { try await device.sync.sync() }
            // Alice links her objects to those of Bob, which changes her objects only.
            let (note, child) = try await alice.edit { context in
                let note = TestNote(context: context)
                (note.title, note.rank) = ("a", 1)
                note.tags = [try #require(try context.existingObject(with: tag) as? TestTag)]
                let child = try context.make("Folder", ["name": .string("below")])
                child["parent"] = try context.existingObject(with: folder)
                return (note.objectID, child.objectID)
            }
            #expect(try await alice.sync.sync().reverted.isEmpty)
            try await bob.sync.sync()
            for id in [note, child] { #expect(try await !bob.sync.objects.canUpdate(id)) }
            if isBatch {
                try await bob.read { context in
                    for entity in ["Tag", "Folder"] {
                        try context.execute(
                            BatchDeleteRequest(
                                FetchRequest<ManagedObject>(entityName: entity, where: "name == 'of Bob'")))
                    }
                }
            } else {
                try await bob.delete(tag, folder)
            }
            let hasParent = try await bob.read { context in
                let parent: TestFolder? = try context.existingObject(with: child)["parent"]
                return parent != nil
            }
            #expect(!hasParent)
            let summary = try await bob.sync.sync()
            #expect(summary.reverted.isEmpty && summary.blocked.isEmpty && summary.sent == 2, "\(summary)")
            try await alice.sync.sync()
            for device in [alice, bob] {
                #expect(try await device.values("name", of: "Tag").isEmpty)
                #expect(try await device.values("name", of: "Folder") == ["below"])
                let tags = try await device.read { (try $0.existingObject(with: note) as? TestNote)?.tags.count }
                #expect(tags == 0)
            }
            #expect(try await bob.sync.status.pendingCount == 0)
        }
    }

    @Test("a deletion that would delete others' objects is refused, and names them")
    func cascade() async throws {
        try await RoleServer.run { server in
            let alice = try await server.reader("alice"), bob = try await server.reader("bob")
            let folder = try await bob.add(["name": .string("F")], "Folder")
            for device in [bob, alice] { try await device.sync.sync() }
            let note = try await alice.edit { context in
                let note = TestNote(context: context)
                (note.title, note.rank) = ("a", 1)
                note.folder = try context.existingObject(with: folder) as? TestFolder
                return note.objectID
            }
            for device in [alice, bob] { try await device.sync.sync() }
            #expect(try await bob.sync.objects.canDelete(folder))
            try await expectDenied(bob, [note]) { context in
                context.delete(try context.existingObject(with: folder))
            }
            // Bob's own notes go into Alice's folders, and out again.
            let own = try await bob.publish(["own": 2])[0]
            let theirs = try await alice.add(["name": .string("of Alice")], "Folder")
            for device in [alice, bob] { try await device.sync.sync() }
            for target in [theirs, nil] {
                try await bob.change(own) { note, context in
                    note.folder = try target.map { try context.existingObject(with: $0) as? TestFolder } ?? nil
                }
                #expect(try await bob.sync.sync().reverted.isEmpty)
            }
        }
    }

    @Test("an object that was never sent needs the right to create only, and none for its deletion")
    func unsent() async throws {
        try await RoleServer.run("Note:_world=read;_icloud=create") { server in
            let bob = try await server.reader("bob")
            let ids = try await bob.publish(["a": 1, "b": 2])
            for id in ids {
                #expect(try await bob.sync.objects.canUpdate(id))
                #expect(try await bob.sync.objects.canDelete(id))
            }
            try await bob.change(ids[0]) { note, _ in note.title = "a, edited" }
            try await bob.delete(ids[1])
            #expect(try await bob.sync.sync().reverted.isEmpty)
            #expect(try await !bob.sync.objects.canUpdate(ids[0]))
            #expect(try await !bob.sync.objects.canDelete(ids[0]))
            try await expectDenied(bob, [ids[0]]) { context in
                (try context.existingObject(with: ids[0]) as? TestNote)?.title = "again"
            }
            // The right to create goes while an object waits. It can still be deleted.
            let late = try await bob.publish(["late": 3])[0]
            let reader = try await server.reader("alice")
            #expect(try await reader.titles() == ["a, edited"])
            try await server.restart("Note:_world=read")
            #expect(try await bob.sync.objects.canDelete(late))
            try await bob.delete(late)
            #expect(try await bob.sync.sync().reverted.isEmpty)
        }
    }

    @Test("a store of an earlier version, which noted no creators, reads once more and knows them then")
    func earlierVersion() async throws {
        try await RoleServer.run { server in
            let alice = try await server.reader("alice")
            let ids = try await alice.publish(["a": 1])
            try await alice.sync.sync()
            var bob = try await server.reader("bob", "device")
            try bob.store.backing.writeJournal(author: "test") { journal in
                try journal.setCreatorRights(nil)
                let fingerprint = try journal.value(of: .fingerprint)
                try journal.set(.fingerprint, to: #require(fingerprint?.replacing(";creators", with: "")))
            }
            try bob.close()
            bob = try await server.reader("bob", "device", syncs: false)
            // Nothing is known yet, so nothing is refused. The server takes the edit back.
            #expect(try await bob.sync.objects.canUpdate(ids[0]))
            try await bob.change(ids[0]) { note, _ in note.title = "of Bob" }
            #expect(try await bob.sync.sync().reverted.map(\.objectID) == ids)
            #expect(try await !bob.sync.objects.canUpdate(ids[0]))
            try await expectDenied(bob, ids) { context in context.delete(try context.existingObject(with: ids[0])) }
            #expect(try await bob.titles() == ["a"])
        }
    }

    @Test("a child context saves into its parent, and the parent's save is refused")
    func childContext() async throws {
        try await RoleServer.run { server in
            let alice = try await server.reader("alice"), bob = try await server.reader("bob")
            let id = try await alice.publish(["a": 1])[0]
            for device in [alice, bob] { try await device.sync.sync() }
            try await bob.read { context in
                let child = ManagedObjectContext(parent: context)
                (try child.existingObject(with: id) as? TestNote)?.title = "of Bob"
                try child.save()
                #expect(context.hasChanges)
                let error = #expect(throws: BackstitchError.self) { try context.save() }
                #expect(error?.code == .permissionDenied)
                context.rollback()
                #expect((try context.existingObject(with: id) as? TestNote)?.title == "a")
            }
        }
    }

    @Test("saves and objects that stay on the device need no right")
    func local() async throws {
        let model = ManagedObjectModel([
            EntityDescription("Note", [.attribute("title", .string), .attribute("rank", .integer64, default: 0)])
                .synced(where: "title != 'draft'")
        ])
        try await RoleServer.run { server in
            let alice = try await server.reader("alice", model: model)
            let id = try await alice.add(["title": .string("a"), "rank": .int(1)])
            try await alice.sync.sync()
            try await server.restart("Note:_world=read")
            let bob = try await server.reader("bob", model: model, [.syncAuthors: ["editor"]])
            func save(
                _ author: String, _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
            ) async throws {
                try await bob.container.perform(author: author) { context in
                    try body(context)
                    try context.save()
                }
            }
            try await save("importer") { try $0.existingObject(with: id).setValue(.string("held"), forKey: "title") }
            try await save("editor") { _ = try $0.make("Note", ["title": .string("draft")]) }
            let error = await #expect(throws: BackstitchError.self) {
                try await save("editor") { try $0.existingObject(with: id).setValue(.int(2), forKey: "rank") }
            }
            #expect(error?.code == .permissionDenied)
            let summary = try await bob.sync.sync()
            #expect(summary.sent == 0 && summary.reverted.isEmpty, "\(summary)")
            #expect(try await bob.values("title") == ["draft", "held"])
        }
    }

    @Test("an app says what the roles of another server are, if they are not the usual ones", arguments: [true, false])
    func option(_ everybodyWrites: Bool) async throws {
        var behavior = PlainBehavior()
        behavior.everybodyWrites = everybodyWrites
        try await PlainWorld.run(behavior, hasUsers: true) { world in
            func reader(_ user: String, _ more: [StoreOption: any Sendable] = [:]) async throws -> SyncDevice {
                let options: [StoreOption: any Sendable] = [.syncDatabase: "public", .syncWebAuthToken: user]
                let device = try world.device(nil, options.merging(more) { $1 })
                try await device.sync.following.start(PublicNotes.low)
                try await device.sync.sync()
                return device
            }
            let alice = try await reader("_alice")
            let id = try await alice.publish(["a": 1])[0]
            try await alice.sync.sync()
            let rights = ["Note": CreatorRights.Rights(mayCreate: false, mayChangeOthers: true)]
            let bob = try await reader("_bob", [.syncPublicRights: rights])
            #expect(try await bob.sync.objects.canUpdate(id))
            #expect(try await !bob.sync.objects.canInsert("Note"))
            #expect(try await bob.sync.objects.canInsert("Folder"))
            try await expectDenied(bob) { _ = try $0.make("Note", ["title": .string("new")]) }
            try await bob.change(id) { note, _ in note.title = "of Bob" }
            #expect(try await bob.sync.sync().reverted.isEmpty == everybodyWrites)
            #expect(try await bob.titles() == [everybodyWrites ? "of Bob" : "a"])
        }
    }
}
