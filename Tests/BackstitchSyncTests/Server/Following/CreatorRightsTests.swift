import Backstitch
import BackstitchSimulator
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("rights by creator in the public database", .timeLimit(.minutes(5)))
struct CreatorRightsTests {
    @Test("an error names object, entity and remedy; several are refused together, with what else the save had")
    func errors() async throws {
        try await RoleServer.run { server in
            let alice = try await server.reader("alice"), bob = try await server.reader("bob")
            let ids = try await alice.publish(["a": 1, "b": 2])
            for device in [alice, bob] { try await device.sync.sync() }
            let own = try await bob.publish(["own": 3])
            let error = await #expect(throws: BackstitchError.self) {
                try await bob.edit { context in
                    for id in ids + own { (try context.existingObject(with: id) as? TestNote)?.title = "of Bob" }
                }
            }
            #expect(error?.code == .permissionDenied && error?.faults.count == 2)
            #expect(Set(error?.faults.compactMap(\.objectID) ?? []) == Set(ids))
            for part in ["\(ids[0])", "_alice", "objects of Note", "change a copy", "ask the operator"] {
                #expect(error?.faults[0].message.contains(part) == true, "\(part): \(String(describing: error))")
            }
            #expect(try await bob.titles() == ["a", "b", "own"])
            // A batch request is refused as a save is.
            let batch = await #expect(throws: BackstitchError.self) {
                try await bob.read { context in
                    try context.execute(BatchDeleteRequest(FetchRequest<TestNote>(where: "rank < 3")))
                }
            }
            #expect(batch?.code == .permissionDenied)
            #expect(try await bob.titles() == ["a", "b", "own"])
            // A copy is the user's own.
            let copy = try await bob.publish(["copy of a": 1])
            for id in own + copy { #expect(try await bob.sync.objects.canDelete(id)) }
            try await bob.delete(own[0])
            #expect(try await bob.sync.sync().reverted.isEmpty)
        }
    }

    @Test("a device without a user knows no rights; who signs in then has the rights of a user")
    func nobody() async throws {
        try await RoleServer.run { server in
            let alice = try await server.reader("alice")
            let ids = try await alice.publish(["a": 1])
            try await alice.sync.sync()
            let device = try await server.reader(nil)
            #expect(try await device.titles() == ["a"])
            for user in ["bob", "alice"] {
                device.sync.setCredentials(
                    apiToken: PublicNotes.token("program"), webAuthToken: PublicNotes.token(user))
                try await device.sync.sync()
                #expect(try await device.sync.objects.canUpdate(ids[0]) == (user == "alice"))
            }
        }
    }

    @Test("rights are kept over a restart of the program, and are the next user's after another one has signed in")
    func reopened() async throws {
        try await RoleServer.run { server in
            let alice = try await server.reader("alice")
            let ids = try await alice.publish(["a": 1])
            try await alice.sync.sync()
            var device = try await server.reader("bob", "device")
            try device.close()
            device = try await server.reader("bob", "device")
            try await expectDenied(device, ids) { context in
                context.delete(try context.existingObject(with: ids[0]))
            }
            device.sync.setCredentials(
                apiToken: PublicNotes.token("program"), webAuthToken: PublicNotes.token("alice"))
            try await device.sync.sync()
            #expect(try await device.titles() == ["a"])
            #expect(try await device.sync.objects.canUpdate(ids[0]))
            try await device.change(ids[0]) { note, _ in note.title = "of Alice" }
            #expect(try await device.sync.sync().reverted.isEmpty)
        }
    }

    @Test("an attribute that stays on the device is set on others' objects too; one that is sent along is not")
    func localAttributes() async throws {
        let model = ManagedObjectModel([
            EntityDescription(
                "Note",
                [
                    .attribute("title", .string), .attribute("rank", .integer64, default: 0),
                    .attribute("isRead", .boolean, default: false).synced(.none),
                ])
        ])
        try await RoleServer.run { server in
            let alice = try await server.reader("alice", model: model)
            let id = try await alice.add(["title": .string("a"), "rank": .int(1)])
            try await alice.sync.sync()
            let bob = try await server.reader("bob", model: model)
            try await bob.set(id, ["isRead": .bool(true)])
            let summary = try await bob.sync.sync()
            #expect(summary.reverted.isEmpty && summary.blocked.isEmpty && summary.sent == 0)
            let isRead = try await bob.read { try $0.existingObject(with: id).value(forKey: "isRead") }
            #expect(isRead == .bool(true))
            let error = await #expect(throws: BackstitchError.self) {
                try await bob.set(id, ["isRead": .bool(false), "title": .string("of Bob")])
            }
            #expect(error?.code == .permissionDenied)
        }
    }

    @Test("a server that names no rights gives a user CloudKit's: to create, and to change what the user has created")
    func untold() async throws {
        try await PlainWorld.run(hasUsers: true) { world in
            func reader(_ user: String) async throws -> SyncDevice {
                let device = try world.device(nil, [.syncDatabase: "public", .syncWebAuthToken: user])
                try await device.sync.following.start(PublicNotes.low)
                try await device.sync.sync()
                return device
            }
            let alice = try await reader("_alice"), bob = try await reader("_bob")
            let others = try await alice.publish(["a": 1, "b": 2])
            let own = try await bob.publish(["own": 3])
            for device in [alice, bob, alice, bob] { try await device.sync.sync() }
            for id in others {
                #expect(try await !bob.sync.objects.canUpdate(id))
                #expect(try await !bob.sync.objects.canDelete(id))
                #expect(try await alice.sync.objects.canUpdate(id))
            }
            #expect(try await bob.sync.objects.canUpdate(own[0]))
            #expect(try await !alice.sync.objects.canDelete(own[0]))
            try await expectDenied(bob, [others[0]]) { context in
                (try context.existingObject(with: others[0]) as? TestNote)?.title = "of Bob"
            }
            try await expectDenied(alice, own) { context in context.delete(try context.existingObject(with: own[0])) }
            try await bob.change(own[0]) { note, _ in note.title = "own, edited" }
            #expect(try await bob.sync.sync().reverted.isEmpty)
            try await alice.sync.sync()
            #expect(try await alice.titles() == ["a", "b", "own, edited"])
        }
    }
}
