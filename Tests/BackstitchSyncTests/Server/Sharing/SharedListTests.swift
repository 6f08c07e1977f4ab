import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("a zone that is shared, on the devices of its owner and of others", .timeLimit(.minutes(3)))
struct SharedListTests {
    @Test("what its owner shares comes to those who accept, and what both change meets")
    func both() async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(.bob)
            let bob = try await lists.joined("bob", share)
            #expect(try await bob.places() == ["n1 in '_alice/Club'", "n2 in '_alice/Club'"])
            let zone = try #require(try await bob.sync.zones.all().first)
            #expect(zone == SyncZone(name: "_alice/Club", zoneName: "Backstitch.Club", ownerName: "_alice"))
            #expect(try await bob.sync.zones.all().count == 1)
            try await bob.retitle(bob.note("n1"), "of Bob")
            try await bob.addToFolder("new of Bob")
            try await alice.retitle(alice.note("n2"), "of Alice")
            try await alice.addToFolder("new of Alice")
            try await lists.scenario.settle()
            #expect(try await alice.titles() == ["new of Alice", "new of Bob", "of Alice", "of Bob"])
            try await bob.delete(bob.note("of Alice"))
            try await lists.scenario.settle()
            #expect(try await alice.titles() == ["new of Alice", "new of Bob", "of Bob"])
            try await lists.scenario.expectNothingUnsent()
            // The guest's own database has none of it.
            let own = try lists.own("bob")
            try await own.sync.sync()
            #expect(try await own.dump().isEmpty)
            #expect(try await own.sync.zones.all().map(\.name) == [""])
        }
    }

    @Test("a share tells its title, its people and what the user may do, to each who takes part")
    func people() async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(.bob, .carol)
            #expect(share.title == "Our list" && share.publicPermission == .none)
            #expect(share.participants.map(\.role) == [.owner, .privateUser, .privateUser])
            #expect(share.participants.map(\.acceptanceStatus) == [.accepted, .pending, .pending])
            #expect(share.currentUser?.role == .owner)
            #expect(share.url.absoluteString.hasSuffix("#Our%20list"))
            let bob = try lists.guest("bob")
            let before = try await bob.sync.sharing.share(at: share.url)
            #expect(before.title == "Our list" && before.owner?.nameComponents?.givenName == "Alice")
            #expect(try await bob.hasNothing)
            let accepted = try await bob.sync.sharing.accept(at: share.url)
            #expect(accepted.currentUser?.permission == .readWrite)
            #expect(accepted.zone.name == "_alice/Club")
            try await bob.sync.sync()
            let known = try #require(try await bob.sync.sharing.shares().first)
            #expect(known.currentUser?.userRecordName == "_bob" && known.participants.count == 3)
            // Addresses of others are not a guest's to know.
            #expect(known.participants.compactMap(\.emailAddress) == ["bob@example.org"])
            try await alice.sync.sync()
            let own = try #require(try await alice.sync.sharing.shares().first)
            #expect(own.zone.name == "Club")
            #expect(
                Set(own.participants.filter { $0.acceptanceStatus == .accepted }.map(\.userRecordName)) == [
                    "_alice", "_bob",
                ])
            #expect(own.participants.first?.role == .owner && own.participants.count == 3)
            #expect(try await alice.sync.sharing.share(ofZoneNamed: "Club") == own)
            #expect(try await alice.sync.sharing.share(ofZoneNamed: "") == nil)
            // To share it again, and to accept it again, changes nothing.
            #expect(try await alice.sync.sharing.share(zoneNamed: "Club", title: "Other").title == "Our list")
            try await bob.sync.sharing.accept(at: share.url)
            #expect(try await bob.sync.zones.all().count == 1)
        }
    }

    @Test("who may only read is told so by each save, which stores nothing, and knows it before")
    func reading() async throws {
        try await SharedLists.run { lists in
            let (_, share) = try await lists.club(.reader)
            let bob = try await lists.joined("bob", share)
            let id = try await bob.note("n1")
            #expect(try await !bob.sync.objects.canUpdate(id))
            #expect(try await !bob.sync.objects.canDelete(id))
            #expect(try await !bob.sync.objects.canInsert(intoZoneNamed: "_alice/Club"))
            try await expectDenied(bob, [id]) {
                try $0.existingObject(with: id).setValue(.string("x"), forKey: "title")
            }
            try await expectDenied(bob) { $0.delete(try $0.existingObject(with: id)) }
            try await expectDenied(bob) { context in
                let folder = try #require(try context.fetch(FetchRequest<TestFolder>()).first)
                TestNote(context: context).folder = folder
            }
            try await expectDenied(bob) { context in
                let tag = try context.make("Tag", [:])
                try context.assign(tag, toZone: "_alice/Club")
                let note = try #require(try context.existingObject(with: id) as? TestNote)
                note.tags.insert(try #require(tag as? TestTag))
            }
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["n1", "n2"])
        }
    }

    @Test("a batch request changes nothing in a zone that is only read")
    func batches() async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(.reader)
            let bob = try await lists.joined("bob", share)
            let before = try await bob.dump()
            let error = await #expect(throws: BackstitchError.self) { try await rank(bob, 1) }
            #expect(error?.code == .permissionDenied)
            let deletion = await #expect(throws: BackstitchError.self) {
                try await bob.container.perform {
                    try $0.execute(BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Note")))
                }
            }
            #expect(deletion?.code == .permissionDenied)
            #expect(try await bob.dump() == before)
            // With the right to write, it succeeds, and reaches the owner.
            var changed = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
            changed.participants[1].permission = .readWrite
            _ = try await alice.sync.sharing.update(changed)
            try await bob.sync.sync()
            try await rank(bob, 7)
            try await lists.scenario.settle()
            #expect(try await alice.read { try $0.count(for: FetchRequest<TestNote>(where: "rank == 7")) } == 2)
        }
    }

    private func rank(_ device: SyncDevice, _ rank: Int) async throws {
        try await device.container.perform { context in
            try context.execute(BatchUpdateRequest(entityName: "Note", set: ["rank": .value(.int(Int64(rank)))]))
        }
    }

    @Test("a new object that is assigned to no zone is not the shared database's")
    func nowhere() async throws {
        try await SharedLists.run { lists in
            let (_, share) = try await lists.club(.bob)
            let bob = try await lists.joined("bob", share)
            let error = await #expect(throws: BackstitchError.self) { try await bob.addNote("nowhere") }
            #expect(error?.code == .permissionDenied)
            #expect(error?.message.contains("\"_alice/Club\"") == true, "\(error?.message ?? "")")
            #expect(try await bob.sync.objects.canInsert(intoZoneNamed: "_alice/Club"))
            #expect(try await !bob.sync.objects.canInsert(intoZoneNamed: ""))
            #expect(try await !bob.sync.objects.canInsert(intoZoneNamed: "other"))
            let id = try await bob.edit { context in
                let note = try context.make("Note", ["title": "somewhere"])
                try context.assign(note, toZone: "_alice/Club")
                return note.objectID
            }
            try await bob.sync.sync()
            #expect(try await bob.sync.objects.record(of: id)?.ownerRecordName == "_alice")
        }
    }

    @Test("deeds that are the owners' are refused, and say whose they are")
    func deeds() async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(.bob)
            let bob = try await lists.joined("bob", share)
            let name = "_alice/Club"
            try await expectRefused { _ = try await bob.sync.zones.create(named: "Mine") }
            try await expectRefused { try await bob.sync.zones.delete(named: name) }
            try await expectRefused { try await bob.sync.eraseCloud() }
            try await expectRefused { _ = try await bob.sync.sharing.share(zoneNamed: name) }
            try await expectRefused { try await bob.sync.sharing.stop(zoneNamed: name) }
            try await expectRefused { try await bob.sync.sharing.leave(zoneNamed: "other") }
            try await expectRefused { try await alice.sync.sharing.leave(zoneNamed: "Club") }
            try await expectRefused { _ = try await alice.sync.sharing.accept(at: share.url) }
            try await expectRefused { _ = try await alice.sync.sharing.share(zoneNamed: "other") }
            let place = try #require(URL(string: "https://example.org/"))
            try await expectRefused { _ = try await bob.sync.sharing.accept(at: place) }
            // Her own zone is not a zone shared by others.
            let guest = try lists.guest("alice")
            try await expectRefused { _ = try await guest.sync.sharing.accept(at: share.url) }
            let carol = try lists.guest("carol")
            let error = await #expect(throws: BackstitchError.self) {
                try await carol.sync.sharing.accept(at: share.url)
            }
            #expect(error?.code == .permissionDenied, "\(String(describing: error))")
            // A guest without an administrator's rights may not invite.
            var changed = try #require(try await bob.sync.sharing.share(ofZoneNamed: name))
            changed.participants.append(.carol)
            let denied = await #expect(throws: BackstitchError.self) { try await bob.sync.sharing.update(changed) }
            #expect(denied?.code == .permissionDenied, "\(String(describing: denied))")
            #expect(try await alice.sync.sharing.share(ofZoneNamed: "Club")?.participants.count == 2)
            #expect(try await alice.titles() == ["n1", "n2"])
            #expect(try await bob.titles() == ["n1", "n2"])
        }
    }

    private func expectRefused(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
    ) async throws {
        let error = await #expect(throws: BackstitchError.self, sourceLocation: sourceLocation) { try await body() }
        #expect(error?.code == .invalidRequest, "\(String(describing: error))", sourceLocation: sourceLocation)
    }

    @Test("a full fetch that a restart has interrupted takes no object away, whatever its pages", .onFiles)
    func interrupted() async throws {
        var limits = WireLimits.extended
        limits.page = 2
        try await SharedLists.run(limits: limits) { lists in
            let (alice, share) = try await lists.club(everybody: .readWrite)
            for number in 3...6 { try await alice.addToFolder("n\(number)") }
            try await alice.sync.sync()
            let first = try lists.guest("bob", "phone")
            try await first.sync.sharing.accept(at: share.url)
            try await first.sync.sync()
            let pages = Locked(0)
            await lists.scenario.faults.set { request in
                guard request.endpoint == "changes/zone" else { return nil }
                return pages.withLock { pages in
                    pages += 1
                    return pages > 1 ? .dropConnection : nil
                }
            }
            await #expect(throws: BackstitchError.self) { try await first.sync.syncFromScratch() }
            #expect(pages.withLock { $0 } > 1)
            try first.close()
            await lists.scenario.network(nil)
            let second = try lists.guest("bob", "phone")
            let summary = try await second.sync.sync()
            #expect(summary.deleted.isEmpty)
            #expect(try await second.titles() == ["n1", "n2", "n3", "n4", "n5", "n6"])
        }
    }

    @Test("two devices of the owner that share at once have one share")
    func sharedTwice() async throws {
        try await SharedLists.run { lists in
            let first = try lists.own("alice"), second = try lists.own("alice")
            try await first.sync.zones.create(named: "Club")
            try await lists.scenario.sync(first, second)
            let other = Locked<Share?>(nil)
            await lists.scenario.atNextPush {
                let share = try await second.sync.sharing.share(zoneNamed: "Club", title: "Second")
                other.withLock { $0 = share }
            }
            let share = try await first.sync.sharing.share(zoneNamed: "Club", title: "First")
            #expect(share.title == "Second" && share.url == other.withLock { $0?.url })
        }
    }

    @Test("participants that no server takes are refused, and nobody is removed by it")
    func impossible() async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(everybody: .readWrite, .carol)
            let bob = try await lists.joined("bob", share)
            let now = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
            let guest = try #require(now.participants.firstIndex { $0.userRecordName == "_bob" })
            var owner = now, reader = now
            owner.participants[guest].role = .owner
            reader.participants[guest].permission = .readOnly
            for impossible in [owner, reader] {
                let error = await #expect(throws: BackstitchError.self) {
                    try await alice.sync.sharing.update(impossible)
                }
                #expect(error?.code == .invalidRequest)
            }
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["n1", "n2"])
            // An ended address differs from a server failure.
            try await alice.sync.sharing.stop(zoneNamed: "Club")
            let gone = await #expect(throws: BackstitchError.self) { try await bob.sync.sharing.share(at: share.url) }
            #expect(gone?.code == .invalidRequest && gone?.message.contains("ended") == true)
        }
    }

    @Test(
        "who came with the address alone is invited by record name, in the same or another entry, and keeps taking part",
        arguments: [true, false], Share.Participant.Role.invited)
    func promotion(appends: Bool, _ role: Share.Participant.Role) async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(everybody: .readWrite, .carol)
            let bob = try await lists.joined("bob", share)
            var now = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
            let guest = try #require(now.participants.firstIndex { $0.userRecordName == "_bob" })
            if appends {
                now.participants.append(.init(userRecordName: "_bob", permission: .readOnly, role: role))
            } else {
                (now.participants[guest].role, now.participants[guest].permission) = (role, .readOnly)
            }
            now.publicPermission = .none
            let changed = try await alice.sync.sharing.update(now)
            let people = changed.participants.map { [$0.userRecordName, $0.role.rawValue, $0.permission.rawValue] }
            #expect(people.contains(["_bob", role.rawValue, "readOnly"]) && people.count == 3)
            #expect(changed.participants.first { $0.userRecordName == "_bob" }?.acceptanceStatus == .accepted)
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["n1", "n2"])
            #expect(try await !bob.sync.objects.canInsert(intoZoneNamed: "_alice/Club"))
            // Two invitations of one user are a mistake still.
            var twice = changed
            twice.participants.append(.init(userRecordName: "_bob"))
            let error = await #expect(throws: BackstitchError.self) { try await alice.sync.sharing.update(twice) }
            #expect(error?.message.contains("twice") == true, "\(String(describing: error))")
        }
    }

    @Test("everything of others comes again after it was erased here, and after it was read from scratch")
    func again() async throws {
        try await SharedLists.run { lists in
            let (_, share) = try await lists.club(everybody: .readWrite)
            let bob = try await lists.joined("bob", share)
            let before = try await bob.dump()
            let erased = try await bob.sync.eraseLocal()
            #expect(erased.inserted.count == 3)
            #expect(try await bob.dump() == before)
            let read = try await bob.sync.syncFromScratch()
            #expect(read.inserted.isEmpty && read.deleted.isEmpty)
            #expect(try await bob.dump() == before)
            // The right is known again as well.
            #expect(try await bob.sync.objects.canInsert(intoZoneNamed: "_alice/Club"))
            try await bob.addToFolder("n3")
            try await bob.sync.sync()
            #expect(try await bob.sync.sharing.shares().count == 1)
        }
    }

    @Test(
        "what its owner moves away goes with few requests, though everything was to be read again",
        arguments: [true, false])
    func movedAway(erases: Bool) async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(.bob)
            let bob = try await lists.joined("bob", share)
            if erases { try await bob.sync.eraseLocal() } else { try await bob.sync.syncFromScratch() }
            let folder = try await alice.read { context in
                try #require(try context.fetch(FetchRequest<TestFolder>(where: "name == 'F'")).first).objectID
            }
            try await alice.sync.zones.move([folder], to: "")
            for _ in 0..<2 { try await alice.sync.sync() }
            await lists.scenario.faults.clear()
            let summary = try await bob.sync.sync()
            #expect(summary.deleted.count == 3)
            #expect(try await bob.titles().isEmpty)
            #expect(try bob.movesUnderWay() == 0)
            // The page with the news, and one look whether other zones have any.
            let looks = await lists.scenario.faults.requests.count { $0 == "changes/database" }
            #expect(looks <= 3)
            #expect(try await alice.places() == ["n1 in ''", "n2 in ''"])
        }
    }

    @Test("a zone of somebody else takes no object out of another one by giving a record its key")
    func takenKeys() async throws {
        try await SharedLists.run { lists in
            let bob = try lists.guest("bob")
            var ids: [ObjectID] = []
            for name in ["alice", "carol"] {
                let owner = try lists.own(name)
                try await owner.sync.zones.create(named: "Club")
                ids.append(
                    try await owner.edit { context in
                        let note = try context.make("Note", ["title": .string("of \(name)")], number: 7)
                        try context.assign(note, toZone: "Club")
                        return note.objectID
                    })
                try await owner.sync.sync()
                let share = try await owner.sync.sharing.share(zoneNamed: "Club", publicPermission: .readWrite)
                try await bob.sync.sharing.accept(at: share.url)
                try await bob.sync.sync()
            }
            #expect(ids[0] == ids[1])
            #expect(try await bob.places() == ["of alice in '_alice/Club'"])
            #expect(try await bob.sync.blocked.parkedRecords().map(\.recordName) == [ids[0].key.uuidString])
            // An edit is sent only to the zone of the object.
            try await bob.retitle(ids[0], "edited")
            try await lists.scenario.settle(bob)
            #expect(try await bob.sync.objects.record(of: ids[0])?.ownerRecordName == "_alice")
            #expect(try await bob.titles() == ["edited"])
        }
    }

    @Test("a store of one's own says which store somebody else's address is for")
    func wrongStore() async throws {
        try await SharedLists.run { lists in
            let (_, share) = try await lists.club(everybody: .readWrite)
            let bob = try lists.own("bob")
            let error = await #expect(throws: BackstitchError.self) { try await bob.sync.sharing.share(at: share.url) }
            #expect(error?.code == .invalidRequest && error?.message.contains("shared database") == true)
        }
    }

    @Test("a share that somebody else has changed meanwhile is read again before it is changed")
    func conflict() async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(.bob)
            var first = share, second = share
            first.title = "First"
            second.publicPermission = .readOnly
            _ = try await alice.sync.sharing.update(first)
            let error = await #expect(throws: BackstitchError.self) { try await alice.sync.sharing.update(second) }
            #expect(error?.code == .saveConflict)
            let now = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
            #expect(now.title == "First" && now.publicPermission == .none)
        }
    }
}

extension Share.Participant.Role {
    /// The roles of an invited participant.
    fileprivate static let invited: [Self] = [.privateUser, .administrator]
}
