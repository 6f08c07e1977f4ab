import Backstitch
import BackstitchSupport
import BackstitchSync
import Foundation
import TestSupport
import Testing

/// The table "Objects that are shared where they are" of Documentation/Sharing.md. Each test is named after its row
/// (``SharingTableTests``).
@Suite("objects that are shared where they are, over HTTP", .timeLimit(.minutes(3)))
struct ObjectShareTableTests {
    @Test("an object is shared where it is")
    func sharing() async throws {
        try await FindableUsers.run { people in
            let alice = try await people.alice()
            let root = try await alice.folder("F")
            let share = try await alice.container.shareInPlace(root, title: "Rome", participants: [.bob])
            #expect(share.root == root && !share.isOfZone && share.zone.isMain && share.title == "Rome")
            #expect(try await alice.own.zones.zone(of: root).isMain)
            // Asked again, here or on another device, it is the same.
            #expect(try await alice.container.shareInPlace(root).url == share.url)
            // It can no longer get a zone of its own. Its present share says where it is.
            let refused = await expectError(.invalidRequest) { try await alice.container.share(root) }
            #expect(refused?.message.contains("shareInPlace") == true && refused?.objectID == root)
            let tablet = try people.person("alice", on: "tablet")
            try await tablet.own.sync()
            #expect(try await tablet.container.shareInPlace(root).url == share.url)
            #expect(try await tablet.own.sharing.shares().map(\.root) == [root])
            // Bob has it with its descendants, and nothing else.
            let bob = try await people.joined("bob", share)
            #expect(try await bob.titles() == ["n1", "n2", "s1"])
            #expect(try await bob.folders() == ["F", "Sub"])
            #expect(try await bob.shared.zones.all().map(\.name) == [Person.main])
            #expect(try await bob.shared.sharing.shares().map(\.root) == [root])
            let ids = [try await bob.note("s1"), root]
            #expect(
                try await bob.container.shares(matching: ids).mapValues(\.url) == [ids[0]: share.url, root: share.url])
            #expect(try await alice.container.shares(matching: ids + [alice.note("g1")]).keys.sorted() == ids.sorted())
            // Edits go both ways.
            try await bob.set(root, ["name": "F of Bob"])
            let new = try await bob.add("of Bob", to: root)
            #expect(try await bob.shared.sync().reverted.isEmpty)
            try await alice.own.sync()
            #expect(try await alice.titles() == ["alone", "g1", "n1", "n2", "of Bob", "s1"])
            #expect(try await alice.folders() == ["F of Bob", "G", "Sub", "Top"])
            #expect(try await alice.own.zones.zone(of: new).isMain)
            let parent = try await alice.container.perform { context -> String? in
                let folder: TestFolder? = try context.existingObject(with: root)["parent"]
                return folder?.name
            }
            #expect(parent == "Top")
        }
    }

    @Test("an object is made below a shared one, or put there")
    func entering() async throws {
        try await FindableUsers.run { people in
            let alice = try await people.alice()
            let root = try await alice.folder("F")
            let share = try await alice.container.shareInPlace(root, participants: [.bob])
            let bob = try await people.joined("bob", share)
            try await alice.put(alice.folder("G"), into: root)
            try await alice.put(alice.note("alone"), into: alice.folder("Sub"))
            try await alice.add("new", to: root)
            try await alice.own.sync()
            try await bob.shared.sync()
            #expect(try await bob.titles() == ["alone", "g1", "n1", "n2", "new", "s1"])
            #expect(try await bob.folders() == ["F", "G", "Sub"])
            #expect(try await bob.container.canUpdate(bob.note("g1")))
        }
    }

    @Test("an object is taken away from below a shared one", arguments: [false, true])
    func leaving(toNothing: Bool) async throws {
        try await FindableUsers.run { people in
            let alice = try await people.alice()
            let root = try await alice.folder("F"), sub = try await alice.folder("Sub")
            let share = try await alice.container.shareInPlace(root, participants: [.bob])
            let bob = try await people.joined("bob", share)
            let top = try await alice.folder("Top")
            try await alice.put(sub, into: toNothing ? nil : top)
            try await alice.put(alice.note("n2"), into: nil)
            try await alice.own.sync()
            let summary = try await bob.shared.sync()
            #expect(summary.reverted.isEmpty && summary.conflicts.isEmpty)
            #expect(try await bob.titles() == ["n1"])
            #expect(try await bob.folders() == ["F"])
            let other = try people.person("alice", on: "tablet")
            try await other.own.sync()
            #expect(try await other.titles() == ["alone", "g1", "n1", "n2", "s1"])
            // It returns with its descendants.
            try await alice.put(sub, into: root)
            try await alice.own.sync()
            try await bob.shared.sync()
            #expect(try await bob.titles() == ["n1", "s1"])
        }
    }

    @Test("a guest has changed an object that leaves, or that somebody deletes, and had not sent that")
    func unsent() async throws {
        try await FindableUsers.run { people in
            let alice = try await people.alice()
            let root = try await alice.folder("F"), sub = try await alice.folder("Sub")
            let share = try await alice.container.shareInPlace(root, participants: [.bob])
            let bob = try await people.joined("bob", share, [.syncConflictResolutionPolicy: "clientWins"])
            let (n1, n2, s1) = (try await bob.note("n1"), try await bob.note("n2"), try await bob.note("s1"))
            try await bob.set(n1, ["title": "n1 of Bob"])
            try await bob.set(n2, ["rank": .int(7)])
            try await bob.set(s1, ["body": "lost"])
            let new = try await bob.add("new of Bob", to: sub)
            try await alice.put(alice.note("n2"), into: nil)
            try await alice.put(sub, into: nil)
            try await alice.delete(n1)
            try await alice.own.sync()
            let summary = try await bob.shared.sync()
            let lost = Dictionary(grouping: summary.reverted, by: \.objectID).mapValues { $0[0] }
            #expect(summary.reverted.count == 4 && summary.conflicts.isEmpty, "\(summary)")
            #expect(lost[n1]?.values == ["title": .string("n1 of Bob")])
            #expect(lost[n2]?.values == ["rank": .int(7)] && lost[n2]?.kind == .update)
            #expect(lost[s1]?.values == ["body": .string("lost")])
            #expect(lost[new]?.kind == .insert && lost[new]?.values["title"] == .string("new of Bob"))
            #expect(try await bob.titles().isEmpty)
            #expect(try await bob.shared.status.pendingCount == 0)
            #expect(try await bob.shared.sync().reverted.isEmpty)
            try await alice.own.sync()
            #expect(try await alice.titles() == ["alone", "g1", "n2", "s1"])
            let rank = try await alice.container.perform { try ($0.existingObject(with: n2) as? TestNote)?.rank }
            #expect(rank == 0)
        }
    }

    @Test("one of several shares ends, or somebody leaves it: `sync.sharing.leave(_:)`", arguments: [false, true])
    func endOfOne(leaves: Bool) async throws {
        try await FindableUsers.run { people in
            let alice = try await people.alice()
            let root = try await alice.folder("F"), sub = try await alice.folder("Sub")
            let share = try await alice.container.shareInPlace(root, participants: [.bob, .carol])
            let second = try await alice.container.shareInPlace(sub, participants: [.bob])
            let bob = try await people.joined("bob", share), carol = try await people.joined("carol", share)
            try await bob.container.acceptShare(at: second.url)
            try await bob.shared.sync()
            let n1 = try await bob.note("n1")
            if leaves {
                let mine = try #require(try await bob.shared.sharing.shares().first { $0.root == root })
                #expect(try await bob.shared.sharing.leave(mine).isEmpty)
            } else {
                try await bob.set(n1, ["title": "unsent"])
                try await alice.own.sharing.stop(share)
                let reverted = try await bob.shared.sync().reverted
                #expect(reverted.map(\.objectID) == [n1] && reverted.first?.values == ["title": .string("unsent")])
            }
            #expect(try await bob.titles() == ["s1"])
            #expect(try await bob.folders() == ["Sub"])
            #expect(try await bob.shared.sharing.shares().map(\.root) == [sub])
            #expect(try await bob.container.canUpdate(bob.note("s1")))
            try await carol.shared.sync()
            #expect(try await carol.titles() == (leaves ? ["n1", "n2", "s1"] : []))
            try await alice.own.sync()
            #expect(
                try await alice.own.sharing.shares().compactMap(\.root).sorted()
                    == (leaves ? [root, sub].sorted() : [sub]))
            #expect(try await alice.titles() == ["alone", "g1", "n1", "n2", "s1"])
        }
    }

    @Test("somebody leaves one of several, having read nothing yet of another one")
    func leavesBeforeReading() async throws {
        try await FindableUsers.run { people in
            let alice = try await people.alice()
            let root = try await alice.folder("F"), sub = try await alice.folder("Sub")
            let share = try await alice.container.shareInPlace(root, participants: [.bob])
            let second = try await alice.container.shareInPlace(sub, participants: [.bob])
            let bob = try await people.joined("bob", share)
            let mine = try #require(try await bob.shared.sharing.shares().first)
            try await bob.container.acceptShare(at: second.url)
            #expect(try await bob.shared.sharing.leave(mine).isEmpty)
            #expect(try await bob.folders() == ["Sub"])
            #expect(try await bob.titles() == ["s1"])
            #expect(try await bob.shared.sharing.shares().map(\.root) == [sub])
        }
    }

    @Test("the last one ends, or somebody leaves it", arguments: ["stopped", "left", "left the zone", "removed"])
    func endOfAll(way: String) async throws {
        try await FindableUsers.run { people in
            let alice = try await people.alice()
            let root = try await alice.folder("F")
            let share = try await alice.container.shareInPlace(root, participants: [.bob, .carol])
            let bob = try await people.joined("bob", share), carol = try await people.joined("carol", share)
            let new = try await bob.add("unsent", to: root)
            let reverted: [RevertedChange]
            switch way {
            case "stopped":
                try await alice.own.sharing.stop(share)
                #expect(try await alice.own.sharing.shares().isEmpty)
                reverted = try await bob.shared.sync().reverted
            case "removed":
                try await alice.changeShare(of: root) { $0.participants.removeAll { $0.userRecordName == "_bob" } }
                reverted = try await bob.shared.sync().reverted
            case "left": reverted = try await bob.shared.sharing.leave(bob.shared.sharing.shares()[0])
            default: reverted = try await bob.shared.sharing.leave(zoneNamed: Person.main)
            }
            #expect(reverted.map(\.objectID) == [new])
            #expect(try await bob.hasNothingOfOthers)
            try await carol.shared.sync()
            #expect(try await carol.titles() == (way == "stopped" ? [] : ["n1", "n2", "s1"]))
            try await alice.own.sync()
            #expect(try await alice.titles() == ["alone", "g1", "n1", "n2", "s1"])
            // Shared again it has another address, where it was shared by her no more.
            let again = try await alice.container.shareInPlace(root, participants: [.bob])
            #expect((again.url == share.url) == (way != "stopped"))
        }
    }

    @Test("the owner deletes an object that is shared")
    func deletedRoot() async throws {
        try await FindableUsers.run { people in
            let alice = try await people.alice()
            let root = try await alice.folder("Sub"), other = try await alice.folder("G")
            let share = try await alice.container.shareInPlace(root, participants: [.bob])
            let second = try await alice.container.shareInPlace(other, participants: [.bob])
            let bob = try await people.joined("bob", share)
            try await bob.container.acceptShare(at: second.url)
            try await bob.shared.sync()
            try await alice.delete(root)
            try await alice.own.sync()
            try await alice.own.sync()
            #expect(try await alice.own.sharing.shares().map(\.root) == [other])
            try await bob.shared.sync()
            #expect(try await bob.titles() == ["g1"])
            #expect(try await bob.shared.sharing.shares().map(\.root) == [other])
            await expectError(.invalidRequest) { _ = try await bob.shared.sharing.share(at: share.url) }
        }
    }

    @Test("an object that is shared is to move to another zone")
    func moving() async throws {
        try await FindableUsers.run { people in
            let alice = try await people.alice()
            let (root, top) = (try await alice.folder("F"), try await alice.folder("Top"))
            let share = try await alice.container.shareInPlace(root, participants: [.bob])
            try await alice.own.zones.create(named: "Club")
            for id in [root, top] {
                let error = await expectError(.invalidRequest) {
                    _ = try await alice.own.zones.move([id], to: "Club")
                }
                #expect(error?.message.contains("sync.sharing.stop") == true)
            }
            #expect(try await alice.own.zones.zone(of: root).isMain)
            try await alice.own.sharing.stop(share)
            await expectError(.crossZoneRelationship) { _ = try await alice.own.zones.move([root], to: "Club") }
        }
    }

    @Test("a zone is shared as a whole, and an object of it is to be shared, or the other way round")
    func bothKinds() async throws {
        try await FindableUsers.run { people in
            let (alice, _) = try await people.club(.bob)
            let folder = try await alice.folder("F")
            let error = await expectError(.invalidRequest) { _ = try await alice.container.shareInPlace(folder) }
            #expect(error?.message.contains("\"Club\"") == true)
            let note = try await alice.edit { try $0.make("Note", ["title": "of the main zone"]).objectID }
            // It was not sent yet, and is sent first.
            let share = try await alice.container.shareInPlace(note, participants: [.bob])
            await #expect(throws: BackstitchError.self) { _ = try await alice.own.sharing.share(zoneNamed: "") }
            let bob = try await people.joined("bob", share)
            #expect(try await bob.titles() == ["of the main zone"])
            await expectError(.objectNotFound) { _ = try await alice.container.shareInPlace(noteID(7)) }
            await expectError(.invalidRequest) { _ = try await bob.container.shareInPlace(note) }
        }
    }
}
