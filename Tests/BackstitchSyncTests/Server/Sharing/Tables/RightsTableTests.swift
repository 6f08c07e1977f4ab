import Backstitch
import BackstitchSupport
import BackstitchSync
import Foundation
import TestSupport
import Testing

/// The table "Who may do what" of Documentation/Sharing.md. Each test is named after its row (``SharingTableTests``).
@Suite("who may do what in a shared zone, over HTTP", .timeLimit(.minutes(3)))
struct RightsTableTests {
    @Test("a save, or a batch request, changes an object of a zone that the user may only read")
    func reading() async throws {
        try await FindableUsers.run { people in
            let (alice, share) = try await people.club(.reader)
            let bob = try await people.joined("bob", share)
            let ids = [try await bob.note("n1"), try await bob.note("n2")]
            let denied = await expectError(.permissionDenied) {
                try await bob.edit { context in
                    try context.existingObject(with: ids[0]).setValue(.string("of Bob"), forKey: "title")
                    context.delete(try context.existingObject(with: ids[1]))
                    try context.make("Note", ["title": "Bob's own"])
                }
            }
            #expect(Set(denied?.faults.compactMap(\.objectID) ?? []) == Set(ids))
            // The store of one's own comes before, and has taken its part.
            #expect(try await bob.titles() == ["Bob's own", "n1", "n2"])
            #expect(try await bob.shared.status.pendingCount == 0)
            let request = BatchUpdateRequest(entityName: "Note", set: ["rank": .value(.int(7))])
            let batch = await expectError(.permissionDenied) {
                try await bob.container.perform { _ = try $0.execute(request) }
            }
            #expect(Set(batch?.faults.compactMap(\.objectID) ?? []) == Set(ids), "\(String(describing: batch))")
            let changed = try await bob.container.perform { context in
                try context.fetch(FetchRequest<TestNote>(where: "rank == 7")).compactMap(\.title)
            }
            #expect(changed == ["Bob's own"])
            try await bob.own.sync()
            try await bob.shared.sync()
            try await alice.own.sync()
            #expect(try await alice.titles() == ["n1", "n2"])
        }
    }

    @Test("a save has a new object of the shared store that is in no zone")
    func nowhere() async throws {
        try await FindableUsers.run { people in
            let (_, share) = try await people.club(.bob)
            let bob = try await people.joined("bob", share)
            let store = bob.container.coordinator.stores[1]
            let made = Locked<[ObjectID]>([])
            let denied = await expectError(.permissionDenied) {
                try await bob.edit { context in
                    for title in ["nowhere", "nowhere too"] {
                        let note = try context.make("Note", ["title": .string(title)])
                        try context.assign(note, to: store)
                        made.withLock { $0.append(note.objectID) }
                    }
                }
            }
            #expect(Set(denied?.faults.compactMap(\.objectID) ?? []) == Set(made.withLock { $0 }))
            #expect(try await bob.titles() == ["n1", "n2"])
            #expect(try await bob.shared.status.pendingCount == 0)
        }
    }

    @Test("the right to change a zone went while the device was offline")
    func rightThatWent() async throws {
        try await FindableUsers.run { people in
            let (alice, share) = try await people.club(.bob)
            let bob = try await people.joined("bob", share)
            let (n1, n2) = (try await bob.note("n1"), try await bob.note("n2"))
            try await bob.set(n1, ["title": "of Bob", "rank": .int(7)])
            try await bob.delete(n2)
            let new = try await bob.addToClub("new of Bob")
            try await alice.changeShare { $0.participants[1].permission = .readOnly }
            try await alice.set(n1, ["title": "of Alice"])
            try await alice.own.sync()
            let summary = try await bob.shared.sync()
            let changes = Dictionary(grouping: summary.reverted, by: \.objectID).mapValues { $0[0] }
            #expect(summary.reverted.count == 3)
            #expect(changes[n1]?.kind == .update && changes[n1]?.values == ["rank": .int(7)])
            // Both have changed the title. His device has settled that conflict before it sent the rest.
            #expect(summary.conflicts.map(\.objectID) == [n1] && summary.conflicts.map(\.keys) == [["title"]])
            #expect(changes[n2]?.kind == .delete)
            #expect(changes[new]?.kind == .insert && changes[new]?.values["title"] == .string("new of Bob"))
            #expect(try await bob.titles() == ["n2", "of Alice"])
            #expect(try await bob.shared.sync().reverted.isEmpty)
            try await alice.own.sync()
            #expect(try await alice.titles() == ["n2", "of Alice"])
        }
    }

    @Test("the right is given again")
    func rightThatComes() async throws {
        try await FindableUsers.run { people in
            let (alice, share) = try await people.club(.reader)
            let bob = try await people.joined("bob", share)
            let id = try await bob.note("n1")
            try await alice.changeShare { $0.participants[1].permission = .readWrite }
            // The device knows it with the next sync, not before.
            await expectError(.permissionDenied) { try await bob.set(id, ["title": "early"]) }
            #expect(try await !bob.container.canUpdate(id))
            try await bob.shared.sync()
            #expect(try await bob.container.canUpdate(id))
            #expect(try await bob.container.canDelete(id))
            #expect(try await bob.shared.objects.canInsert(intoZoneNamed: Person.club))
            try await bob.set(id, ["title": "of Bob"])
            #expect(try await bob.shared.sync().reverted.isEmpty)
            try await alice.own.sync()
            #expect(try await alice.titles() == ["n2", "of Bob"])
        }
    }

    @Test("the owner removes somebody, or ends the share", arguments: [false, true])
    func removal(endsShare: Bool) async throws {
        try await FindableUsers.run { people in
            let (alice, share) = try await people.club(.bob, .carol)
            let bob = try await people.joined("bob", share), carol = try await people.joined("carol", share)
            try await bob.addToClub("sent of Bob")
            try await bob.shared.sync()
            let unsent = try await bob.addToClub("unsent of Bob")
            if endsShare {
                try await alice.own.sharing.stop(zoneNamed: "Club")
            } else {
                try await alice.changeShare { $0.participants.removeAll { $0.emailAddress == "bob@example.org" } }
            }
            let reverted = try await bob.shared.sync().reverted
            #expect(reverted.map(\.objectID) == [unsent])
            #expect(reverted.first?.values["title"] == .string("unsent of Bob"))
            #expect(try await bob.hasNothingOfOthers)
            try await carol.shared.sync()
            #expect(try await carol.titles() == (endsShare ? [] : ["n1", "n2", "sent of Bob"]))
            // A device of hers that comes new has it from the server.
            let other = try people.person("alice", on: "tablet")
            for device in [alice, other] {
                try await device.own.sync()
                #expect(try await device.titles() == ["n1", "n2", "sent of Bob"])
            }
        }
    }

    @Test("somebody leaves: `sync.sharing.leave(zoneNamed:)`")
    func leaving() async throws {
        try await FindableUsers.run { people in
            let (alice, share) = try await people.club(.bob, .carol)
            let phone = try await people.joined("bob", share), carol = try await people.joined("carol", share)
            let tablet = try people.person("bob", on: "tablet")
            try await tablet.shared.sync()
            #expect(try await tablet.titles() == ["n1", "n2"])
            try await phone.shared.sharing.leave(zoneNamed: Person.club)
            #expect(try await phone.hasNothingOfOthers)
            try await tablet.shared.sync()
            #expect(try await tablet.hasNothingOfOthers)
            try await carol.shared.sync()
            try await alice.own.sync()
            #expect(try await carol.titles() == ["n1", "n2"])
            #expect(try await alice.titles() == ["n1", "n2"])
        }
    }

    @Test("the owner deletes the zone")
    func deletedZone() async throws {
        try await FindableUsers.run { people in
            let (alice, share) = try await people.club(everybody: .readWrite)
            let bob = try await people.joined("bob", share)
            let other = try people.person("alice", on: "tablet")
            try await other.own.sync()
            try await alice.own.zones.delete(named: "Club")
            try await alice.own.zones.create(named: "Club")
            try await alice.edit { context in
                try context.assign(context.make("Note", ["title": "of the new zone"]), toZone: "Club")
            }
            try await alice.own.sync()
            try await other.own.sync()
            try await bob.shared.sync()
            #expect(try await bob.hasNothingOfOthers)
            #expect(try await alice.titles() == ["of the new zone"])
            #expect(try await other.titles() == ["of the new zone"])
            #expect(try await alice.own.sharing.share(ofZoneNamed: "Club") == nil)
            await expectError(.invalidRequest) { try await bob.container.acceptShare(at: share.url) }
        }
    }

    @Test("another user signs in", arguments: SyncResetAction.allCases)
    func otherUser(policy: SyncResetAction) async throws {
        try await FindableUsers.run { people in
            let (alice, share) = try await people.club(.bob)
            let bob = try await people.joined("bob", share, [.syncResetPolicy: policy.rawValue])
            try await bob.set(bob.note("n1"), ["title": "unsent"])
            try await bob.addToClub("unsent too")
            for sync in [bob.own, bob.shared] {
                sync.setCredentials(apiToken: nil, webAuthToken: SharedLists.token("carol"))
            }
            try await bob.shared.sync()
            #expect(try await bob.hasNothingOfOthers)
            try await alice.own.sync()
            #expect(try await alice.titles() == ["n1", "n2"])
            let carol = try people.person("carol")
            for sync in [carol.own, carol.shared] { try await sync.sync() }
            #expect(try await carol.hasNothingOfOthers)
        }
    }

    @Test("a zone of somebody else has a record with the key of an object that another zone of the store has")
    func takenKey() async throws {
        try await FindableUsers.run { people in
            let bob = try people.person("bob")
            for name in ["alice", "carol"] {
                let owner = try people.person(name)
                try await owner.own.zones.create(named: "Club")
                try await owner.edit { context in
                    let note = try context.make("Note", ["title": .string("of \(name)")], number: 7)
                    try context.assign(note, toZone: "Club")
                }
                try await owner.own.sync()
                let share = try await owner.own.sharing.share(zoneNamed: "Club", publicPermission: .readWrite)
                try await bob.container.acceptShare(at: share.url)
                try await bob.shared.sync()
            }
            #expect(try await bob.titles() == ["of alice"])
            #expect(try await bob.shared.zones.zone(of: noteID(7)).name == Person.club)
            #expect(try await bob.shared.blocked.parkedRecords().map(\.recordName) == [noteID(7).key.uuidString])
        }
    }
}
