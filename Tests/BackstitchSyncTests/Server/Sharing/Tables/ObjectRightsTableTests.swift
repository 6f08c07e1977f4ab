import Backstitch
import BackstitchSupport
import BackstitchSync
import Foundation
import TestSupport
import Testing

/// The rows about rights in the table "Objects that are shared where they are" of Documentation/Sharing.md. Each test
/// is named after its row (``SharingTableTests``).
@Suite("rights to objects that are shared where they are, over HTTP", .timeLimit(.minutes(3)))
struct ObjectRightsTableTests {
    @Test("a guest's save does more than the guest may")
    func refused() async throws {
        try await FindableUsers.run { people in
            let alice = try await people.alice()
            let root = try await alice.folder("F"), other = try await alice.folder("G")
            let share = try await alice.container.shareInPlace(root, participants: [.bob])
            let second = try await alice.container.shareInPlace(other, participants: [.bob])
            let bob = try await people.joined("bob", share)
            try await bob.container.acceptShare(at: second.url)
            try await bob.shared.sync()
            let (n1, n2, sub) = (try await bob.note("n1"), try await bob.note("n2"), try await bob.folder("Sub"))
            func refuse(_ id: ObjectID?, _ work: @escaping @Sendable (ManagedObjectContext) throws -> Void) async throws
            {
                let error = await expectError(.permissionDenied) {
                    try await bob.edit { context in
                        try work(context)
                        // All of the save is refused, for what the guest may not do.
                        if id != n1 { try context.existingObject(with: n2).setValue(.string("x"), forKey: "title") }
                    }
                }
                let named = error?.faults.isEmpty == false ? error?.faults.map(\.objectID) : [error?.objectID]
                if let id { #expect(named?.contains(id) == true) } else { #expect(named?.count == 1 && named != [n2]) }
            }
            try await refuse(root) { $0.delete(try $0.existingObject(with: root)) }
            try await refuse(root) {
                try $0.existingObject(with: root).setObject($0.existingObject(with: other), forKey: "parent")
            }
            try await refuse(n1) { try $0.existingObject(with: n1).setObject(nil, forKey: "folder") }
            try await refuse(n1) {
                try $0.existingObject(with: n1).setObject($0.existingObject(with: other), forKey: "folder")
            }
            let store = bob.container.coordinator.stores[1]
            try await refuse(nil) { context in
                let note = try context.make("Note", ["title": "below nothing"])
                try context.assign(note, to: store)
                try context.assign(note, toZone: Person.main)
            }
            #expect(try await bob.shared.status.pendingCount == 0)
            #expect(try await bob.titles() == ["g1", "n1", "n2", "s1"])
            // Within what is shared he moves and deletes as he likes.
            try await bob.put(n1, into: sub)
            try await bob.delete(n2)
            #expect(try await bob.shared.sync().reverted.isEmpty)
            try await alice.own.sync()
            #expect(try await alice.titles() == ["alone", "g1", "n1", "s1"])
            // As an administrator he takes objects from one share to another.
            for root in [root, other] {
                try await alice.changeShare(of: root) { $0.participants[1].role = .administrator }
            }
            try await bob.shared.sync()
            try await bob.put(n1, into: other)
            #expect(try await bob.shared.sync().reverted.isEmpty)
            try await alice.own.sync()
            let place = try await alice.container.perform { context in
                (try context.existingObject(with: n1) as? TestNote)?.folder?.name
            }
            #expect(place == "G")
        }
    }

    @Test("several shares of one zone give different rights")
    func rights() async throws {
        try await FindableUsers.run { people in
            let alice = try await people.alice()
            let root = try await alice.folder("F"), sub = try await alice.folder("Sub")
            let reading = try await alice.container.shareInPlace(root, participants: [.reader])
            let writing = try await alice.container.shareInPlace(sub, participants: [.bob])
            let bob = try await people.joined("bob", reading)
            let (n1, s1) = (try await bob.note("n1"), try await bob.note("s1"))
            #expect(try await !bob.container.canUpdate(s1))
            #expect(try await bob.container.shares(matching: [s1]).mapValues(\.root) == [s1: root])
            try await bob.container.acceptShare(at: writing.url)
            try await bob.shared.sync()
            for (id, mayUpdate, mayDelete) in [
                (n1, false, false), (root, false, false), (s1, true, true), (sub, true, false),
            ] {
                #expect(try await bob.container.canUpdate(id) == mayUpdate, "\(id)")
                #expect(try await bob.container.canDelete(id) == mayDelete, "\(id)")
            }
            #expect(try await bob.container.canInsert("Note", into: sub))
            #expect(try await !bob.container.canInsert("Note", into: root))
            #expect(try await !bob.container.canInsert("Tag", into: sub))
            #expect(try await !bob.container.canInsert("Note", into: s1))
            #expect(try await !bob.shared.objects.canInsert(intoZoneNamed: Person.main))
            #expect(try await bob.container.shares(matching: [s1, n1]).mapValues(\.root) == [s1: sub, n1: root])
            await expectError(.permissionDenied) { try await bob.set(n1, ["title": "x"]) }
            await expectError(.permissionDenied) { try await bob.add("x", to: root) }
            await expectError(.permissionDenied) { try await bob.put(s1, into: root) }
            let request = BatchUpdateRequest(entityName: "Note", set: ["rank": .value(.int(7))])
            let batch = await expectError(.permissionDenied) {
                try await bob.container.perform { _ = try $0.execute(request) }
            }
            #expect(batch?.message.contains("n2") == false)
            try await bob.set(s1, ["title": "of Bob"])
            try await bob.add("new of Bob", to: sub)
            #expect(try await bob.shared.sync().reverted.isEmpty)
            try await alice.own.sync()
            #expect(try await alice.titles() == ["alone", "g1", "n1", "n2", "new of Bob", "of Bob"])
        }
    }

    @Test("a right to some objects of a zone changes")
    func changedRight() async throws {
        try await FindableUsers.run { people in
            let alice = try await people.alice()
            let root = try await alice.folder("F"), other = try await alice.folder("G")
            let share = try await alice.container.shareInPlace(root, participants: [.bob])
            let second = try await alice.container.shareInPlace(other, participants: [.bob])
            let bob = try await people.joined("bob", share)
            try await bob.container.acceptShare(at: second.url)
            try await bob.shared.sync()
            let (n1, g1) = (try await bob.note("n1"), try await bob.note("g1"))
            try await bob.set(n1, ["title": "n1 of Bob"])
            try await bob.delete(bob.note("n2"))
            try await bob.set(g1, ["title": "g1 of Bob"])
            try await alice.changeShare(of: root) { $0.participants[1].permission = .readOnly }
            let summary = try await bob.shared.sync()
            #expect(
                summary.reverted.map(\.kind) == [.update, .delete]
                    || summary.reverted.map(\.kind) == [.delete, .update])
            #expect(summary.reverted.first { $0.objectID == n1 }?.values == ["title": .string("n1 of Bob")])
            #expect(try await bob.titles() == ["g1 of Bob", "n1", "n2", "s1"])
            #expect(try await !bob.container.canUpdate(n1))
            #expect(try await bob.container.canUpdate(g1))
            try await alice.own.sync()
            #expect(try await alice.titles() == ["alone", "g1 of Bob", "n1", "n2", "s1"])
            try await alice.changeShare(of: root) { $0.participants[1].permission = .readWrite }
            try await bob.shared.sync()
            #expect(try await bob.container.canUpdate(n1))
        }
    }

    @Test("an object leads to one that is not shared")
    func hiddenLinks() async throws {
        try await FindableUsers.run { people in
            let alice = try await people.alice()
            let root = try await alice.folder("F")
            let share = try await alice.container.shareInPlace(root, participants: [.bob])
            let bob = try await people.joined("bob", share)
            let n1 = try await bob.note("n1")
            let seen = try await bob.container.perform { context in
                let note = try #require(try context.existingObject(with: n1) as? TestNote)
                let folder: ManagedObject? = try context.existingObject(with: root)["parent"]
                return (note.tags.count, folder == nil)
            }
            #expect(seen == (0, true))
            #expect(try await bob.shared.blocked.parkedRecords().isEmpty)
            // Edited by Bob, they lead where they did.
            try await bob.set(n1, ["title": "of Bob"])
            try await bob.set(root, ["name": "F of Bob"])
            try await bob.edit { context in
                let tag = TestTag(context: context)
                tag.name = "his"
                try context.assign(tag, to: bob.container.coordinator.stores[0])
            }
            #expect(try await bob.shared.sync().reverted.isEmpty)
            try await alice.own.sync()
            let theirs = try await alice.container.perform { context in
                let note = try #require(try context.existingObject(with: n1) as? TestNote)
                let folder: TestFolder? = try context.existingObject(with: root)["parent"]
                return ([note.title, folder?.name], note.tags.compactMap(\.name))
            }
            #expect(theirs.0 == ["of Bob", "Top"] && theirs.1 == ["hers"])
        }
    }
}
