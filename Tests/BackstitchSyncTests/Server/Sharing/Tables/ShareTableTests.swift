import Backstitch
import BackstitchSync
import Foundation
import TestSupport
import Testing

/// The table "A share and its people" of Documentation/Sharing.md, each test named after its row
/// (``SharingTableTests``).
@Suite("a share and its people, over HTTP", .timeLimit(.minutes(3)))
struct ShareTableTests {
    @Test("share an object with all that hangs on it, which moves into a zone of its own")
    func sharingObject() async throws {
        try await FindableUsers.run { people in
            let alice = try people.person("alice")
            let (folder, other) = try await alice.edit { context in
                let folder = try context.make("Folder", ["name": "F"]),
                    other = try context.make("Folder", ["name": "G"])
                for (title, parent) in [("n1", folder), ("n2", folder), ("n3", other)] {
                    let note = try context.make("Note", ["title": .string(title)])
                    try note.setObject(parent, forKey: "folder")
                    try context.assign(note, to: context.coordinator.stores[0])
                }
                for object in [folder, other] { try context.assign(object, to: context.coordinator.stores[0]) }
                return (folder.objectID, other.objectID)
            }
            try await alice.own.sync()
            let share = try await alice.container.share(folder, title: "Our list", participants: [.bob])
            #expect(try await alice.own.zones.zone(of: folder) == share.zone && !share.zone.isMain)
            #expect(try await alice.own.zones.zone(of: other).isMain)
            #expect(try await alice.container.shares(matching: [folder, other]).keys.sorted() == [folder])
            // Asked again it is the same; Bob has the folder and its two notes, and nothing else.
            #expect(try await alice.container.share(folder).url == share.url)
            let bob = try await people.joined("bob", share)
            let names = try await bob.container.perform { context in
                try ["Folder", "Note"].map { entity in
                    try context.fetch(FetchRequest<ManagedObject>(entityName: entity)).count
                }
            }
            #expect(names == [1, 2])
            await #expect(throws: BackstitchError.self) { try await bob.container.share(folder) }
            // A link from a moving object to a staying one is an error, or is cut on request.
            let note = try await alice.edit { context in
                let note = try context.fetch(FetchRequest<ManagedObject>(entityName: "Note", where: "title == 'n3'"))
                return try #require(note.first).objectID
            }
            let error = await #expect(throws: BackstitchError.self) { try await alice.container.share(note) }
            #expect(error?.code == .crossZoneRelationship)
            let alone = try await alice.container.share(note, cutsLinks: true)
            #expect(try await alice.own.zones.zone(of: note) == alone.zone)
            #expect(try await alice.own.zones.zone(of: other).isMain)
        }
    }

    @Test("share an object with all that hangs on it, where it is")
    func sharingInPlace() async throws {
        try await FindableUsers.run { people in
            let alice = try await people.alice()
            let (root, note) = (try await alice.folder("F"), try await alice.note("alone"))
            let share = try await alice.container.shareInPlace(
                root, title: "Rome", publicPermission: .readOnly, participants: [.bob])
            #expect(share.root == root && share.title == "Rome" && share.publicPermission == .readOnly)
            #expect(try await alice.own.objects.record(of: root)?.share == "Share-\(root.key.uuidString)")
            #expect(try await alice.own.objects.record(of: note)?.share == nil)
            #expect(share.participants.map(\.role) == [.owner, .privateUser])
            let bob = try await people.joined("bob", share), carol = try await people.joined("carol", share)
            #expect(try await bob.titles() == ["n1", "n2", "s1"])
            #expect(try await carol.titles() == ["n1", "n2", "s1"])
            #expect(try await bob.container.canInsert("Note", into: root))
            #expect(try await !carol.container.canInsert("Note", into: root))
            // Looked at, followed, changed and asked for like any other.
            #expect(try await carol.shared.sharing.share(at: share.url).root == root)
            try await alice.changeShare(of: root) { $0.title = "Roma" }
            try await bob.shared.sync()
            #expect(try await bob.shared.sharing.shares().map(\.title) == ["Roma"])
            await expectError(.saveConflict) { _ = try await alice.own.sharing.update(share) }
            #expect(try await alice.own.sharing.share(ofObject: note) == nil)
            await expectError(.objectNotFound) { _ = try await alice.own.sharing.share(ofObject: noteID(7)) }
        }
    }

    @Test("share a zone, and get its address")
    func sharing() async throws {
        try await FindableUsers.run { people in
            let alice = try people.person("alice")
            try await alice.own.zones.create(named: "Club")
            let share = try await alice.own.sharing.share(
                zoneNamed: "Club", title: "Our list", publicPermission: .readOnly, participants: [.bob])
            #expect(share.zone.name == "Club" && share.title == "Our list" && share.publicPermission == .readOnly)
            #expect(share.url.path().hasPrefix("/share/"))
            #expect(share.participants.map(\.role) == [.owner, .privateUser])
            #expect(share.participants.map(\.acceptanceStatus) == [.accepted, .pending])
            #expect(share.currentUser?.userRecordName == "_alice")
            // Bob may write, as one who was invited; Carol has the address alone.
            let bob = try await people.joined("bob", share), carol = try await people.joined("carol", share)
            #expect(try await bob.shared.objects.canInsert(intoZoneNamed: Person.club))
            #expect(try await !carol.shared.objects.canInsert(intoZoneNamed: Person.club))
        }
    }

    @Test("see with whom it is shared, as the last sync has left it")
    func people() async throws {
        try await FindableUsers.run { people in
            let (alice, share) = try await people.club(.bob)
            let bob = try await people.joined("bob", share)
            func statuses() async throws -> [Share.Participant.AcceptanceStatus]? {
                try await alice.own.sharing.shares().first?.participants.map(\.acceptanceStatus)
            }
            #expect(try await statuses() == [.accepted, .pending])
            try await alice.own.sync()
            #expect(try await statuses() == [.accepted, .accepted])
            let known = try #require(try await bob.shared.sharing.shares().first)
            #expect(known.zone.name == Person.club && known.owner?.userRecordName == "_alice")
            #expect(known.currentUser?.userRecordName == "_bob")
            #expect(try await bob.own.sharing.shares().isEmpty)
        }
    }

    @Test("follow that, as people come and go and rights change")
    func following() async throws {
        try await FindableUsers.run { people in
            let (alice, share) = try await people.club(.bob)
            let bob = try await people.joined("bob", share)
            var hers = alice.own.sharing.updates().makeAsyncIterator()
            var his = bob.shared.sharing.updates().makeAsyncIterator()
            #expect(try await hers.next()?.first?.participants.last?.acceptanceStatus == .pending)
            #expect(try await his.next()?.first?.currentUser?.permission == .readWrite)
            try await alice.own.sync()
            #expect(try await hers.next()?.first?.participants.last?.acceptanceStatus == .accepted)
            try await alice.changeShare { $0.participants[1].permission = .readOnly }
            #expect(try await hers.next()?.first?.participants.last?.permission == .readOnly)
            try await bob.shared.sync()
            #expect(try await his.next()?.first?.currentUser?.permission == .readOnly)
            try await bob.shared.sharing.leave(zoneNamed: Person.club)
            #expect(try await his.next()?.isEmpty == true)
        }
    }

    @Test("ask the server for it")
    func asking() async throws {
        try await FindableUsers.run { people in
            let (alice, share) = try await people.club(.bob)
            let bob = try await people.joined("bob", share)
            // No sync of hers comes between.
            let now = try #require(try await alice.own.sharing.share(ofZoneNamed: "Club"))
            #expect(now.participants.map(\.acceptanceStatus) == [.accepted, .accepted])
            #expect(try await alice.own.sharing.shares() == [now])
            try await alice.changeShare { $0.title = "Another name" }
            #expect(try await bob.shared.sharing.shares().first?.title == "Our list")
            #expect(try await bob.shared.sharing.share(ofZoneNamed: Person.club)?.title == "Another name")
            #expect(try await alice.own.sharing.share(ofZoneNamed: "") == nil)
            await expectError(.invalidRequest) { _ = try await alice.own.sharing.share(ofZoneNamed: "no such zone") }
        }
    }

    @Test("invite, remove, give other rights, another title")
    func changing() async throws {
        try await FindableUsers.run { people in
            var (alice, share) = try await people.club(.bob)
            let bob = try await people.joined("bob", share)
            share = try #require(try await alice.own.sharing.share(ofZoneNamed: "Club"))
            let old = share
            share.participants[1].permission = .readOnly
            share.participants.append(.carol)
            share.title = "Another name"
            share = try await alice.own.sharing.update(share)
            #expect(share.title == "Another name" && share.participants.map(\.id).allSatisfy { $0 != nil })
            try await bob.shared.sync()
            #expect(try await !bob.container.canUpdate(bob.note("n1")))
            let carol = try await people.joined("carol", share)
            #expect(try await carol.shared.sharing.shares().first?.title == "Another name")
            // Another version was changed, and a guest who is no administrator changes none.
            await expectError(.saveConflict) { _ = try await alice.own.sharing.update(old) }
            var his = try #require(try await bob.shared.sharing.share(ofZoneNamed: Person.club))
            his.title = "of Bob"
            await expectError(.permissionDenied) { _ = try await bob.shared.sharing.update(his) }
            try await alice.changeShare { share in
                // Only the owner has a place of its own among them.
                let guest = share.participants.firstIndex { $0.userRecordName == "_carol" }
                if let guest { share.participants[guest].role = .administrator }
            }
            var hers = try #require(try await carol.shared.sharing.share(ofZoneNamed: Person.club))
            hers.participants.removeAll { $0.userRecordName == "_bob" }
            _ = try await carol.shared.sharing.update(hers)
            try await bob.shared.sync()
            #expect(try await bob.hasNothingOfOthers)
            #expect(try await alice.own.sharing.share(ofZoneNamed: "Club")?.participants.count == 2)
        }
    }

    @Test("end it, and keep everything")
    func ending() async throws {
        try await FindableUsers.run { people in
            let (alice, share) = try await people.club(.bob)
            let bob = try await people.joined("bob", share)
            try await bob.addToClub("of Bob")
            try await bob.shared.sync()
            try await alice.own.sharing.stop(zoneNamed: "Club")
            #expect(try await alice.own.sharing.shares().isEmpty)
            #expect(try await alice.own.sharing.share(ofZoneNamed: "Club") == nil)
            try await alice.own.sync()
            #expect(try await alice.titles() == ["n1", "n2", "of Bob"])
            #expect(try await alice.own.zones.all().map(\.name) == ["", "Club"])
            await expectError(.invalidRequest) { _ = try await bob.shared.sharing.share(at: share.url) }
        }
    }

    @Test("look at what an address leads to")
    func looking() async throws {
        try await FindableUsers.run { people in
            let (alice, share) = try await people.club(.bob)
            let bob = try people.person("bob"), carol = try people.person("carol")
            let seen = try await bob.shared.sharing.share(at: share.url)
            #expect(seen.title == "Our list" && seen.zone.name == Person.club)
            #expect(seen.owner?.nameComponents?.givenName == "Alice")
            // To look is not to take part, and those who were not invited see nothing.
            try await bob.shared.sync()
            #expect(try await bob.hasNothingOfOthers)
            let participants = try await alice.own.sharing.share(ofZoneNamed: "Club")?.participants
            #expect(participants?.map(\.acceptanceStatus) == [.accepted, .pending])
            await expectError(.permissionDenied) { _ = try await carol.shared.sharing.share(at: share.url) }
        }
    }

    @Test("take part")
    func takingPart() async throws {
        try await FindableUsers.run { people in
            let (alice, share) = try await people.club(.bob)
            let bob = try people.person("bob"), carol = try people.person("carol")
            let accepted = try await bob.container.acceptShare(at: share.url)
            #expect(accepted.zone.name == Person.club && accepted.currentUser?.permission == .readWrite)
            try await bob.shared.sync()
            #expect(try await bob.titles() == ["n1", "n2"])
            // A note of the shared folder reaches its owner, and one without a folder stays Bob's own.
            try await bob.addToClub("for all")
            try await bob.edit { _ = try $0.make("Note", ["title": "Bob's own"]) }
            for sync in [bob.own, bob.shared, alice.own] { try await sync.sync() }
            #expect(try await alice.titles() == ["for all", "n1", "n2"])
            await expectError(.permissionDenied) { try await carol.container.acceptShare(at: share.url) }
            try await carol.shared.sync()
            #expect(try await carol.hasNothingOfOthers)
        }
    }
}
