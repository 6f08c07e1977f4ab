import Backstitch
import BackstitchSimulator
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("a zone that is shared by a server that knows CloudKit Web Services and nothing else", .timeLimit(.minutes(3)))
struct PlainSharingTests {
    private static let zone = "Backstitch.Club"

    private func own(_ user: String, in world: PlainWorld) throws -> SyncDevice {
        try world.device(model: .withParents, [.syncWebAuthToken: user])
    }

    private func guest(_ user: String, in world: PlainWorld, automatic: Bool = false) throws -> SyncDevice {
        try world.device(
            automatic: automatic, model: .withParents,
            [.syncWebAuthToken: user, .syncDatabase: "shared", .syncPollInterval: 3_600.0])
    }

    /// Alice's device, with a zone "Club" on the server and its share. The zone contains the folder "F" with two notes.
    private func club(
        in world: PlainWorld, everybody: Share.Permission = .none, _ participants: Share.Participant...
    ) async throws -> (alice: SyncDevice, share: Share) {
        let alice = try own("_alice", in: world)
        try await alice.sync.zones.create(named: "Club")
        _ = try await alice.addFolder("F", inZone: "Club", notes: ["n1", "n2"])
        try await alice.sync.sync()
        let share = try await alice.sync.sharing.share(
            zoneNamed: "Club", title: "Our list", publicPermission: everybody, participants: participants)
        return (alice, share)
    }

    private func joined(_ user: String, _ share: Share, in world: PlainWorld) async throws -> SyncDevice {
        let device = try guest(user, in: world)
        try await device.sync.sharing.accept(at: share.url)
        try await device.sync.sync()
        return device
    }

    /// Has the participant behind the owner get another right.
    private func give(_ permission: Share.Permission, by alice: SyncDevice) async throws {
        var share = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
        share.participants[1].permission = permission
        _ = try await alice.sync.sharing.update(share)
    }

    @Test(
        "owner and guest edit it, a right goes and comes, the guest leaves and comes back, and the owner ends it",
        arguments: PlainServerTests.behaviors)
    func life(_ behavior: PlainBehavior) async throws {
        try await PlainWorld.run(behavior, hasUsers: true) { world in
            let (alice, share) = try await club(in: world, everybody: .readWrite)
            let bob = try await joined("_bob", share, in: world)
            #expect(
                try await bob.sync.zones.all()
                    == [SyncZone(name: "_alice/Club", zoneName: Self.zone, ownerName: "_alice")])
            #expect(try await bob.places() == ["n1 in '_alice/Club'", "n2 in '_alice/Club'"])
            #expect(try await bob.sync.sharing.shares().first?.currentUser?.role == .publicUser)

            // Both change it, and photos go along.
            let photo = Data((0..<3_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            try await bob.change(bob.note("n1")) { note, _ in (note.title, note.cover) = ("of Bob", photo) }
            try await bob.addToFolder("new of Bob")
            try await alice.retitle(alice.note("n2"), "of Alice")
            for device in [bob, alice, bob] { try await device.sync.sync() }
            for device in [alice, bob] { #expect(try await device.titles() == ["new of Bob", "of Alice", "of Bob"]) }
            let first = try await alice.note("of Bob")
            #expect(try await alice.read { try ($0.existingObject(with: first) as? TestNote)?.cover } == photo)
            try await bob.delete(bob.note("of Alice"))
            for device in [bob, alice] { try await device.sync.sync() }
            #expect(try await alice.titles() == ["new of Bob", "of Bob"])

            // The guest loses the right with unsent changes.
            try await bob.retitle(first, "denied")
            let unsent = try await bob.addToFolder("denied too")
            var changed = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
            changed.publicPermission = .readOnly
            _ = try await alice.sync.sharing.update(changed)
            let reverted = try await bob.sync.sync().reverted
            #expect(Set(reverted.map(\.objectID)) == [first, unsent])
            #expect(reverted.first { $0.objectID == first }?.values["title"] == .string("denied"))
            #expect(try await bob.titles() == ["new of Bob", "of Bob"])
            #expect(try await !bob.sync.objects.canUpdate(first))
            try await expectDenied(bob, [first]) { (try $0.existingObject(with: first) as? TestNote)?.title = "no" }
            changed = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
            changed.publicPermission = .readWrite
            _ = try await alice.sync.sharing.update(changed)
            try await bob.sync.sync()
            try await bob.retitle(first, "again")
            for device in [bob, alice] { try await device.sync.sync() }
            #expect(try await alice.titles() == ["again", "new of Bob"])

            // The guest leaves, and comes back.
            try await bob.sync.sharing.leave(zoneNamed: "_alice/Club")
            #expect(try await bob.hasNothing)
            try await bob.sync.sync()
            #expect(try await bob.hasNothing)
            try await alice.sync.sync()
            #expect(try await alice.sync.sharing.shares().first?.participants.count == 1)
            try await bob.sync.sharing.accept(at: share.url)
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["again", "new of Bob"])

            // The owner ends it, and keeps everything.
            let lost = try await bob.addToFolder("lost")
            try await alice.sync.sharing.stop(zoneNamed: "Club")
            #expect(try await bob.sync.sync().reverted.map(\.objectID) == [lost])
            #expect(try await bob.hasNothing)
            #expect(try await alice.titles() == ["again", "new of Bob"])
            #expect(world.server.records(ofZone: Self.zone, of: "_alice").count == 3)
            for device in [alice, bob] { #expect(try await device.sync.blocked.changes().isEmpty) }
            let odd = world.server.refusals.filter {
                !$0.contains("could not find handler") && !$0.contains("limit exceeded")
            }
            // The first request of each device has the token in a header, which this server ignores.
            #expect(odd == ["users/caller", "records/resolve"].map { "\($0): request needs authorization" })
        }
    }

    @Test("who was invited takes part, and nobody else; who is removed loses the copy and what was not sent")
    func invited() async throws {
        try await PlainWorld.run(hasUsers: true) { world in
            let (alice, share) = try await club(
                in: world, Share.Participant(emailAddress: "_bob@example.org", permission: .readOnly))
            let bob = try guest("_bob", in: world)
            #expect(try await bob.sync.sharing.share(at: share.url).currentUser?.acceptanceStatus == .pending)
            try await bob.sync.sharing.accept(at: share.url)
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["n1", "n2"])
            #expect(try await !bob.sync.objects.canUpdate(bob.note("n1")))
            let carol = try guest("_carol", in: world)
            let error = await #expect(throws: BackstitchError.self) {
                try await carol.sync.sharing.accept(at: share.url)
            }
            #expect(error?.code == .permissionDenied)
            try await give(.readWrite, by: alice)
            try await bob.sync.sync()
            try await bob.retitle(bob.note("n1"), "of Bob")
            for device in [bob, alice] { try await device.sync.sync() }
            #expect(try await alice.titles() == ["n2", "of Bob"])
            let unsent = try await bob.addToFolder("unsent")
            var changed = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
            changed.participants.removeAll { $0.userRecordName == "_bob" }
            _ = try await alice.sync.sharing.update(changed)
            #expect(try await bob.sync.sync().reverted.map(\.objectID) == [unsent])
            #expect(try await bob.hasNothing)
        }
    }

    @Test("to accept a share again changes nothing, though the server refuses it, as CloudKit does")
    func acceptedTwice() async throws {
        try await PlainWorld.run(hasUsers: true) { world in
            let (_, share) = try await club(in: world, everybody: .readWrite)
            let bob = try await joined("_bob", share, in: world)
            #expect(try await bob.sync.sharing.accept(at: share.url).currentUser?.acceptanceStatus == .accepted)
            // The answer to the first is lost, so the program asks again.
            let carol = try guest("_carol", in: world)
            world.interfere { request, _ in request.path.contains("records/accept") ? .hangUp : nil }
            await #expect(throws: BackstitchError.self) { try await carol.sync.sharing.accept(at: share.url) }
            world.interfere(nil)
            try await carol.sync.sharing.accept(at: share.url)
            for device in [bob, carol] {
                try await device.sync.sync()
                #expect(try await device.titles() == ["n1", "n2"])
            }
        }
    }

    @Test("a zone that its owner deletes goes from its guests, and one that is made anew is not shared")
    func deletedZone() async throws {
        try await PlainWorld.run(hasUsers: true) { world in
            let (alice, share) = try await club(in: world, everybody: .readWrite)
            let bob = try await joined("_bob", share, in: world)
            try await alice.sync.zones.delete(named: "Club")
            try await bob.sync.sync()
            #expect(try await bob.hasNothing)
            try await alice.sync.zones.create(named: "Club")
            _ = try await alice.addFolder("F", inZone: "Club", notes: ["private"])
            for device in [alice, bob] { try await device.sync.sync() }
            #expect(try await bob.hasNothing)
            let error = await #expect(throws: BackstitchError.self) { try await bob.sync.sharing.accept(at: share.url) }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test("a guest hears of the owner's edits by notifications of the shared database, and of nobody else's zones")
    func notifications() async throws {
        try await PlainWorld.run(hasUsers: true) { world in
            let (alice, share) = try await club(in: world, everybody: .readOnly)
            let bob = try guest("_bob", in: world, automatic: true)
            try await bob.sync.sharing.accept(at: share.url)
            #expect(try await eventually { try await bob.titles() == ["n1", "n2"] })
            #expect(try await eventually { world.server.counts["aps"] ?? 0 > 0 })
            try await alice.retitle(alice.note("n1"), "of Alice")
            try await alice.sync.sync()
            #expect(try await eventually { try await bob.titles() == ["n2", "of Alice"] })
            try await alice.sync.sharing.stop(zoneNamed: "Club")
            #expect(try await eventually { try await bob.hasNothing })
        }
    }
}
