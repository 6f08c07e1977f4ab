import Backstitch
import BackstitchServer
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("rights in the public database, over HTTP", .timeLimit(.minutes(3)))
struct PublicRightsTests {
    @Test("changes whose right went meanwhile are taken back, told with their values, and change nothing there")
    func takenBack() async throws {
        try await RoleServer.run("Note:_world=read;_icloud=create,write") { server in
            let alice = try await server.reader("alice")
            let ids = try await alice.publish(["a": 1, "b": 2])
            try await alice.sync.sync()
            let bob = try await server.reader("bob")
            try await bob.change(ids[0]) { note, _ in (note.title, note.rank) = ("of Bob", 7) }
            try await bob.delete(ids[1])
            let own = try await bob.publish(["own": 3])
            try await server.restart()
            let summary = try await bob.sync.sync()
            let reverted = Dictionary(grouping: summary.reverted, by: \.objectID).mapValues { $0[0] }
            #expect(summary.reverted.count == 2 && summary.blocked.isEmpty)
            #expect(reverted[ids[0]]?.kind == .update && reverted[ids[0]]?.values["rank"] == .int(7))
            #expect(reverted[ids[0]]?.values["title"] == .string("of Bob"))
            #expect(reverted[ids[1]]?.kind == .delete)
            #expect(reverted[ids[0]]?.reason.contains("ACCESS_DENIED") == true)
            #expect(try await bob.titles() == ["a", "b", "own"])
            #expect(try await bob.sync.status.pendingCount == 0)
            try await bob.change(own[0]) { note, _ in note.title = "own, edited" }
            #expect(try await bob.sync.sync().reverted.isEmpty)
            try await alice.sync.sync()
            #expect(try await alice.titles() == ["a", "b", "own, edited"])
        }
    }

    @Test("a type that only the operator makes takes no object of a user's; one that all may change is everybody's")
    func roles() async throws {
        try await PublicNotes.run(configure: { configuration in
            let areSet =
                configuration.publicRoles.set("Folder:_world=read")
                && configuration.publicRoles.set("Note:_world=read;_icloud=create,write")
            #expect(areSet)
        }) { notes in
            let alice = try notes.device("alice")
            let folder = try await alice.add(["name": "F"], "Folder")
            let ids = try await alice.publish(["a": 1])
            let summary = try await alice.sync.sync()
            #expect(summary.reverted.map(\.objectID) == [folder])
            #expect(summary.reverted.first?.kind == .insert && summary.reverted.first?.values["name"] == .string("F"))
            #expect(try await alice.values("name", of: "Folder").isEmpty)
            let bob = try await notes.reader("bob")
            try await bob.change(ids[0]) { note, _ in note.title = "of Bob" }
            #expect(try await bob.sync.sync().reverted.isEmpty)
            // Both change another property: both stay, as anywhere.
            try await alice.change(ids[0]) { note, _ in note.body = "of Alice" }
            let merged = try await alice.sync.sync()
            #expect(merged.conflicts.isEmpty && merged.reverted.isEmpty)
            try await bob.sync.sync()
            let note = try await bob.read { context in
                let note = try #require(try context.fetch(FetchRequest<TestNote>()).first)
                return [note.title, note.body]
            }
            #expect(note == ["of Bob", "of Alice"])
            // The same property: the policy decides.
            try await alice.change(ids[0]) { note, _ in note.title = "again of Alice" }
            try await alice.sync.sync()
            try await bob.change(ids[0]) { note, _ in note.title = "again of Bob" }
            let conflict = try await bob.sync.sync()
            #expect(conflict.conflicts.map(\.objectID) == [ids[0]])
            #expect(try await bob.titles() == ["again of Alice"])
        }
    }

    @Test("edits of what its maker deletes meanwhile go by the policy, as in other databases")
    func deletedMeanwhile() async throws {
        try await PublicNotes.run(configure: { configuration in
            let isSet = configuration.publicRoles.set("Note:_world=read;_icloud=create,write")
            #expect(isSet)
        }) { notes in
            let alice = try notes.device("alice")
            let ids = try await alice.publish(["a": 1, "b": 2])
            try await alice.sync.sync()
            let bob = try await notes.reader("bob"), keeper = try await notes.reader("bob", policy: .clientWins)
            try await alice.delete(ids[0])
            try await alice.sync.sync()
            try await bob.change(ids[0]) { note, _ in note.title = "edited" }
            try await keeper.change(ids[0]) { note, _ in note.title = "kept" }
            #expect(try await bob.sync.sync().conflicts.map(\.kind) == [.editedHereDeletedThere])
            #expect(try await bob.titles() == ["b"])
            #expect(try await keeper.sync.sync().conflicts.map(\.winner) == [.client])
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["b", "kept"])
        }
    }

    @Test("a token that only reads keeps what is saved, and nobody in particular reads, and may not send")
    func withoutRight() async throws {
        try await PublicNotes.run(configure: { configuration in
            configuration.users.append(
                .init(userRecordName: "_bob", webAuthToken: PublicNotes.token("reader"), isReadOnly: true))
        }) { notes in
            let alice = try notes.device("alice")
            try await alice.publish(["a": 1])
            try await alice.sync.sync()
            let reader = try await notes.reader("reader")
            let unsent = try await reader.publish(["unsent": 2])
            let summary = try await reader.sync.sync()
            #expect(summary.blocked.map(\.objectID) == unsent && summary.reverted.isEmpty)
            #expect(try await reader.titles() == ["a", "unsent"])
            let anybody = try await notes.reader(nil)
            #expect(try await anybody.titles() == ["a"])
            try await anybody.publish(["of nobody": 3])
            let error = await #expect(throws: BackstitchError.self) { try await anybody.sync.sync() }
            #expect(error?.code == .authentication)
            #expect(try await anybody.titles() == ["a", "of nobody"])
        }
    }

    @Test("when another user signs in nothing of the former one's is sent, and what is followed is read again")
    func otherUser() async throws {
        try await PublicNotes.run { notes in
            let alice = try notes.device("alice")
            try await alice.publish(["a": 1])
            try await alice.sync.sync()
            let device = try await notes.reader("bob")
            try await device.publish(["unsent of Bob": 2])
            device.sync.setCredentials(
                apiToken: PublicNotes.token("program"), webAuthToken: PublicNotes.token("alice"))
            try await device.sync.sync()
            #expect(try await device.titles() == ["a"])
            #expect(try await device.followedStates() == [.current])
            try await alice.sync.following.start(PublicNotes.low)
            try await alice.sync.sync()
            #expect(try await alice.titles() == ["a"])
        }
    }
}
