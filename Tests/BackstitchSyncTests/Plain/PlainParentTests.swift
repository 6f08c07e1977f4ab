import Backstitch
import BackstitchSimulator
import BackstitchSupport
import BackstitchSync
import Foundation
import TestSupport
import Testing

/// CloudKit takes no record whose parent it does not have, unless both come in one request.
@Suite("parents at a server that takes no record without the one that it names", .timeLimit(.minutes(3)))
struct PlainParentTests {
    private static func behavior(operations: Int) -> PlainBehavior {
        var behavior = PlainBehavior()
        behavior.operations = operations
        return behavior
    }

    /// Has the server lose a record between the next pull of a device and the following push.
    private func lose(_ id: ObjectID, in world: PlainWorld) {
        let isDone = Locked(false)
        world.interfere { [unowned world] request, _ in
            guard request.path.contains("changes/zone") else { return nil }
            let wasDone = isDone.withLock { isDone in
                defer { isDone = true }
                return isDone
            }
            guard !wasDone else { return nil }
            world.program(
                "forceDelete",
                ["recordName": .string(id.key.uuidString), "recordType": .string(id.entityName)])
            return nil
        }
    }

    private func refused(_ world: PlainWorld) -> Int { world.server.count(ofFailures: "VALIDATING_REFERENCE_ERROR") }

    @Test("new objects go behind those on which they hang, however few go at once", arguments: [1, 2, 3, 200])
    func order(operations: Int) async throws {
        try await PlainWorld.run(Self.behavior(operations: operations), hasUsers: true) { world in
            let a = try world.own("_alice")
            // Notes are first, then their folder. Then that is put below another folder, which is changed last.
            let ids = try await a.addNotes(5)
            let folder = try await a.addFolder("F")
            try await a.edit { context in
                for id in ids {
                    let note = try context.existingObject(with: id) as? TestNote
                    note?.folder = try context.existingObject(with: folder) as? TestFolder
                }
            }
            let top = try await a.addFolder("Top")
            try await a.put(folder, into: top)
            try await a.set(top, ["name": .string("T")])
            let summary = try await a.sync.sync()
            #expect(summary.blocked.isEmpty && summary.deferred == 0 && summary.sent == 7)
            let parents = world.server.parents(ofZone: "Backstitch", of: "_alice")
            for id in ids { #expect(parents[id.key.uuidString] == folder.key.uuidString) }
            #expect(parents[folder.key.uuidString] == top.key.uuidString)
            // Old objects go behind a new parent too.
            let other = try await a.addFolder("G")
            for id in ids { try await a.put(id, into: other) }
            try await a.set(other, ["name": .string("H")])
            try await a.sync.sync()
            for id in ids {
                #expect(
                    world.server.parents(ofZone: "Backstitch", of: "_alice")[id.key.uuidString] == other.key.uuidString)
            }
            #expect(refused(world) == 0)
            let b = try world.own("_alice")
            try await b.sync.sync()
            #expect(try await b.dump() == a.dump())
        }
    }

    @Test("new objects that hang on each other in a circle are sent, however few go at once", arguments: [1, 2, 200])
    func circle(operations: Int) async throws {
        try await PlainWorld.run(Self.behavior(operations: operations), hasUsers: true) { world in
            let a = try world.own("_alice")
            var folders: [ObjectID] = []
            for name in ["F", "G", "H"] { folders.append(try await a.addFolder(name)) }
            for (folder, parent) in zip(folders, folders.dropFirst() + folders.prefix(1)) {
                try await a.put(folder, into: parent)
            }
            let summary = try await a.sync.sync()
            #expect(summary.sent == 3 && summary.deferred == 0 && summary.blocked.isEmpty)
            #expect(refused(world) == 0)
            // After the cut, the last folder has no parent.
            let parents = world.server.parents(ofZone: "Backstitch", of: "_alice")
            #expect(parents.count == (operations < 3 ? 2 : 3), "\(parents)")
            let b = try world.own("_alice")
            try await b.sync.sync()
            #expect(try await b.dump() == a.dump())
        }
    }

    @Test(
        "a change below an object that another device has just deleted is sent all the same", arguments: [false, true])
    func deleted(isNew: Bool) async throws {
        try await PlainWorld.run(hasUsers: true) { world in
            let a = try world.device(
                policy: .clientWins, model: .withParents, [.syncWebAuthToken: "_alice"])
            let folder = try await a.addFolder("F", notes: ["old"])
            try await a.sync.sync()
            let note = isNew ? try await a.add("new", to: folder) : try await a.note("old")
            if !isNew { try await a.retitle(note, "new") }
            lose(folder, in: world)
            let summary = try await a.sync.sync()
            world.interfere(nil)
            #expect(refused(world) == 1)
            #expect(summary.blocked.isEmpty && summary.deferred == 0)
            #expect(try await a.titles().contains("new"))
            #expect(try await a.folders() == [])
            #expect(try await a.sync.status.pendingCount == 0)
            let title = world.server.records(ofZone: "Backstitch", of: "_alice")[note.key.uuidString]?["title"]["value"]
            #expect(title == .string("new"))
            let b = try world.own("_alice")
            for device in [a, b] { try await device.sync.sync() }
            #expect(try await b.titles() == a.titles())
        }
    }

    @Test("what hangs on a change that is not sent is not sent either, says so, and goes with that")
    func blocked() async throws {
        try await PlainWorld.run(hasUsers: true) { world in
            let a = try world.own("_alice")
            let top = try await a.addFolder(String(repeating: "x", count: 1_100_000))
            let folder = try await a.addFolder("F")
            try await a.put(folder, into: top)
            let note = try await a.add("n", to: folder)
            let blocked = try await a.sync.sync().blocked
            #expect(Set(blocked.map(\.objectID)) == [top, folder, note])
            for id in [folder, note] {
                #expect(blocked.first { $0.objectID == id }?.reason.contains("depends on") == true, "\(blocked)")
            }
            #expect(refused(world) == 0)
            try await a.set(top, ["name": .string("T")])
            try await a.sync.sync()
            #expect(try await a.sync.blocked.changes().isEmpty)
            #expect(
                world.server.parents(ofZone: "Backstitch", of: "_alice") == [
                    folder.key.uuidString: top.key.uuidString, note.key.uuidString: folder.key.uuidString,
                ])
        }
    }

    @Test("what hangs on an object whose upload is paused waits with it, and goes with it")
    func paused() async throws {
        var model = ManagedObjectModel.withParents
        for index in model.entities.indices where model.entities[index].name == "Folder" {
            model.entities[index].properties.append(.attribute("photo", .binary, external: true))
        }
        try await PlainWorld.run(hasUsers: true) { world in
            let a = try world.device(model: model, [.syncWebAuthToken: "_alice"])
            let folder = try await a.addFolder("F")
            try await a.set(folder, ["photo": .data(Data(repeating: 7, count: 20_000))])
            let note = try await a.add("n", to: folder)
            try await a.sync.assets.pause("photo", of: folder)
            let blocked = try await a.sync.sync().blocked
            #expect(Set(blocked.map(\.objectID)) == [folder, note])
            #expect(refused(world) == 0)
            try await a.sync.assets.resume("photo", of: folder)
            let summary = try await a.sync.sync()
            #expect(summary.sent == 2 && summary.blocked.isEmpty && summary.deferred == 0)
            #expect(try await a.sync.blocked.changes().isEmpty)
            #expect(
                world.server.parents(ofZone: "Backstitch", of: "_alice")
                    == [note.key.uuidString: folder.key.uuidString])
        }
    }

    @Test("a change that is refused for its parent once more, though that is not on its way, is set aside and told")
    func refusedForGood() async throws {
        try await PlainWorld.run(hasUsers: true) { world in
            let a = try world.own("_alice")
            let folder = try await a.addFolder("F")
            try await a.sync.sync()
            // From then on no device hears of the record's deletion.
            let page = Locked<LoopbackHTTP.Reply?>(nil)
            world.interfere { request, answer in
                guard request.path.contains("changes/zone") else { return nil }
                return page.withLock { page in
                    defer { page = page ?? .answer(status: 200, headers: answer.headers, body: answer.body) }
                    return page
                }
            }
            try await a.sync.sync()
            world.program(
                "forceDelete", ["recordName": .string(folder.key.uuidString), "recordType": .string("Folder")])
            let note = try await a.add("n", to: folder)
            let summary = try await a.sync.sync()
            #expect(summary.blocked.map(\.objectID) == [note] && summary.deferred == 0)
            #expect(summary.blocked.first?.reason.contains("VALIDATING_REFERENCE") == true, "\(summary.blocked)")
            #expect(refused(world) == 2)
        }
    }

    @Test("what a guest makes below an object that its owner has just deleted is taken back, and told")
    func guest() async throws {
        try await PlainWorld.run(hasUsers: true) { world in
            let alice = try await world.alice()
            let share = try await alice.container.shareInPlace(alice.folder("F"), publicPermission: .readWrite)
            let bob = try await world.joined("_bob", share)
            let sub = try await bob.folder("Sub")
            let new = try await bob.add("lost", to: sub)
            lose(sub, in: world)
            #expect(try await bob.sync.sync().reverted.map(\.objectID) == [new])
            world.interfere(nil)
            #expect(refused(world) > 0)
            #expect(try await bob.titles() == ["n1", "n2"])
            #expect(try await bob.sync.status.pendingCount == 0)
            for device in [alice, bob] { #expect(try await device.sync.blocked.changes().isEmpty) }
        }
    }
}
