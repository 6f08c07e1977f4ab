import Backstitch
import BackstitchServer
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("rights that change, people who leave, and zones that are shared no more", .timeLimit(.minutes(3)))
struct LostRightTests {
    @Test("edits, deletions and new objects of a right that went are taken back, and told with their values")
    func takenBack() async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(.bob)
            let bob = try await lists.joined("bob", share)
            let (n1, n2) = (try await bob.note("n1"), try await bob.note("n2"))
            try await bob.change(n1) { note, _ in (note.title, note.rank) = ("of Bob", 7) }
            try await bob.delete(n2)
            let new = try await bob.addToFolder("new of Bob")
            var changed = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
            changed.participants[1].permission = .readOnly
            _ = try await alice.sync.sharing.update(changed)
            try await alice.retitle(n1, "of Alice")
            try await alice.sync.sync()
            let summary = try await bob.sync.sync()
            let reverted = Dictionary(grouping: summary.reverted, by: \.objectID).mapValues { $0[0] }
            #expect(summary.reverted.count == 3 && summary.blocked.isEmpty)
            #expect(reverted[n1]?.kind == .update && reverted[n1]?.values["rank"] == .int(7))
            #expect(reverted[n2]?.kind == .delete && reverted[n2]?.values.isEmpty == true)
            #expect(reverted[new]?.kind == .insert && reverted[new]?.values["title"] == .string("new of Bob"))
            #expect(reverted[n1]?.reason.contains("ACCESS_DENIED") == true)
            #expect(try await bob.titles() == ["n2", "of Alice"])
            try await lists.scenario.settle()
            try await lists.scenario.expectNothingUnsent()
            #expect(try await !bob.sync.objects.canUpdate(n1))
            // And given again.
            changed = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
            changed.participants[1].permission = .readWrite
            _ = try await alice.sync.sharing.update(changed)
            try await bob.sync.sync()
            #expect(try await bob.sync.objects.canUpdate(n1))
            try await bob.retitle(n1, "again")
            try await lists.scenario.settle()
            #expect(try await alice.titles() == ["again", "n2"])
        }
    }

    @Test("what shall be local is taken back with the right where it was in the zone, and else stays local")
    func localWithoutRight() async throws {
        var model = ManagedObjectModel.withParents
        model.entities = model.entities.map { $0.name == "Note" ? $0.synced(where: "rank < 100") : $0 }
        try await SharedLists.run { [model] lists in
            let (alice, share) = try await lists.club(.bob)
            let bob = try await lists.joined("bob", share, model: model)
            let n1 = try await bob.note("n1"), new = try await bob.addToFolder("new of Bob")
            let faults = lists.scenario.faults
            try await faults.breakDown(from: 0, endpoint: "records/modify", losesAnswer: false)
            _ = try? await bob.sync.sync()
            try await faults.clear()
            for id in [n1, new] { try await bob.change(id) { note, _ in note.rank = 100 } }
            var changed = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
            changed.participants[1].permission = .readOnly
            _ = try await alice.sync.sharing.update(changed)
            #expect(try await bob.sync.sync().reverted.map(\.objectID) == [n1])
            try await lists.scenario.sync(alice, bob)
            try await lists.scenario.expectNothingUnsent()
            let ranks = try await bob.read { context in
                try context.fetch(FetchRequest<TestNote>()).sorted { $0.title ?? "" < $1.title ?? "" }.map(\.rank)
            }
            #expect(try await bob.titles() == ["n1", "n2", "new of Bob"])
            #expect(ranks == [0, 0, 100])
            #expect(try await alice.titles() == ["n1", "n2"])
        }
    }

    @Test("who is removed loses the copy and what was not sent, which is told; others lose nothing")
    func removed() async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(.bob, .carol)
            let bob = try await lists.joined("bob", share), carol = try await lists.joined("carol", share)
            try await bob.addToFolder("sent of Bob")
            try await bob.sync.sync()
            let id = try await bob.addToFolder("unsent of Bob")
            var changed = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
            changed.participants.removeAll { $0.userRecordName == "_bob" }
            _ = try await alice.sync.sharing.update(changed)
            let summary = try await bob.sync.sync()
            #expect(summary.reverted.map(\.objectID) == [id])
            #expect(summary.reverted.first?.values["title"] == .string("unsent of Bob"))
            #expect(summary.deleted.count == 5)
            #expect(try await bob.hasNothing)
            try await lists.scenario.settle(alice, carol)
            #expect(try await carol.titles() == ["n1", "n2", "sent of Bob"])
            #expect(try await bob.sync.sync().reverted.isEmpty)
        }
    }

    @Test("who leaves loses the copy alone, on every device, and may come back")
    func leaving() async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(everybody: .readWrite)
            let bob = try await lists.joined("bob", share)
            let other = try lists.guest("bob")
            try await other.sync.sync()
            #expect(try await other.titles() == ["n1", "n2"])
            try await bob.sync.sharing.leave(zoneNamed: "_alice/Club")
            #expect(try await bob.hasNothing)
            try await other.sync.sync()
            #expect(try await other.dump().isEmpty)
            try await alice.sync.sync()
            #expect(try await alice.titles() == ["n1", "n2"])
            #expect(try await alice.sync.sharing.shares().first?.participants.count == 1)
            try await bob.sync.sharing.accept(at: share.url)
            try await lists.scenario.settle()
            #expect(try await bob.titles() == ["n1", "n2"])
            #expect(try await other.titles() == ["n1", "n2"])
        }
    }

    @Test("who comes back and leaves again before it was read ends without the zone, not with an error")
    func leavingAgain() async throws {
        try await SharedLists.run { lists in
            let (_, share) = try await lists.club(everybody: .readWrite)
            let bob = try await lists.joined("bob", share), other = try await lists.joined("bob", share)
            try await other.sync.sharing.leave(zoneNamed: "_alice/Club")
            try await bob.sync.sync()
            try await other.sync.sharing.accept(at: share.url)
            let faults = lists.scenario.faults
            await faults.set { request in
                guard request.endpoint == "zones/lookup" else { return nil }
                await faults.set(nil)
                do { try await other.sync.sharing.leave(zoneNamed: "_alice/Club") } catch { Issue.record(error) }
                return nil
            }
            try await bob.sync.sync()
            #expect(try await bob.hasNothing)
        }
    }

    @Test("a share that ends leaves everything with its owner, what guests had sent included")
    func ended() async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(.bob)
            let bob = try await lists.joined("bob", share)
            try await bob.addToFolder("of Bob")
            try await bob.sync.sync()
            try await alice.sync.sharing.stop(zoneNamed: "Club")
            try await alice.sync.sharing.stop(zoneNamed: "Club")
            #expect(try await alice.sync.sharing.shares().isEmpty)
            try await bob.sync.sync()
            #expect(try await bob.dump().isEmpty)
            let second = try lists.own("alice")
            try await lists.scenario.settle(alice, second)
            #expect(try await second.titles() == ["n1", "n2", "of Bob"])
            #expect(try await second.sync.sharing.shares().isEmpty)
            #expect(try await second.sync.zones.all().map(\.name) == ["", "Club"])
            // Shared anew, it is another share.
            let again = try await alice.sync.sharing.share(zoneNamed: "Club", participants: [.bob])
            #expect(again.url != share.url)
            try await bob.sync.sharing.accept(at: again.url)
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["n1", "n2", "of Bob"])
        }
    }

    @Test("a zone that its owner deletes goes for everybody, and one made anew in its place is not shared")
    func deleted() async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(everybody: .readWrite)
            let bob = try await lists.joined("bob", share)
            try await bob.addToFolder("unsent")
            try await alice.sync.zones.delete(named: "Club")
            try await alice.sync.zones.create(named: "Club")
            _ = try await alice.addFolder("other", inZone: "Club")
            try await alice.sync.sync()
            let summary = try await bob.sync.sync()
            #expect(summary.reverted.count == 1)
            #expect(try await bob.hasNothing)
        }
    }

    @Test("an answer that is lost while a change is taken back leaves it to be taken back again")
    func lostAnswer() async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(.bob)
            let bob = try await lists.joined("bob", share)
            let id = try await bob.note("n1")
            try await bob.retitle(id, "of Bob")
            var changed = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
            changed.participants[1].permission = .readOnly
            _ = try await alice.sync.sharing.update(changed)
            await lists.scenario.faults.set { $0.endpoint == "records/lookup" ? .dropConnection : nil }
            await #expect(throws: BackstitchError.self) { try await bob.sync.sync() }
            #expect(try await bob.titles() == ["n2", "of Bob"])
            await lists.scenario.network(nil)
            #expect(try await bob.sync.sync().reverted.map(\.objectID) == [id])
            #expect(try await bob.titles() == ["n1", "n2"])
        }
    }

    @Test("nobody's changes go under another user's name, though the token changes between two batches")
    func otherName() async throws {
        var limits = WireLimits.extended
        limits.operations = 1
        try await SharedLists.run(limits: limits) { lists in
            let (alice, share) = try await lists.club(everybody: .readWrite)
            let bob = try await lists.joined("bob", share), carol = try await lists.joined("carol", share)
            let ids = [try await bob.note("n1"), try await bob.note("n2")]
            for id in ids { try await bob.retitle(id, "of Bob") }
            await lists.scenario.atNextPush {
                bob.sync.setCredentials(apiToken: nil, webAuthToken: SharedLists.token("carol"))
            }
            // The cycle under way ends with an error, or another one has seen to it.
            _ = try? await bob.sync.sync()
            try await bob.sync.sync()
            try await lists.scenario.sync(alice, carol)
            for id in ids {
                #expect(try await alice.sync.objects.record(of: id)?.modified?.userRecordName != "_carol")
            }
            #expect(try await alice.titles().filter { $0 == "of Bob" }.count <= 1)
            // Carol takes part too, so the device has the zone as hers.
            #expect(try await bob.dump() == carol.dump())
        }
    }

    @Test("under another user's token everything of others goes, after a reset and whatever the policy says")
    func otherUserAfterReset() async throws {
        try await SharedLists.run { lists in
            let (_, share) = try await lists.club(everybody: .readWrite)
            let bob = try lists.guest("bob", nil, model: .withParents, [.syncResetPolicy: "stop"])
            try await bob.sync.sharing.accept(at: share.url)
            try await bob.sync.sync()
            // No pull comes between this reset and the account, so nothing has taken up the store anew.
            try await bob.sync.sharing.accept(at: share.url)
            bob.sync.setCredentials(apiToken: nil, webAuthToken: "carol-0123456789abcdefghijklmnop")
            try await bob.sync.sync()
            #expect(try await bob.hasNothing)
        }
    }

    @Test("a token that only reads takes no edit away where the share gives the right: it is kept, and blocked")
    func readingToken() async throws {
        try await SharedLists.run(configure: { configuration in
            configuration.users.append(
                .init(userRecordName: "_bob", webAuthToken: SharedLists.token("reader"), isReadOnly: true))
        }) { lists in
            let (alice, share) = try await lists.club(.bob)
            let bob = try await lists.joined("bob", share)
            let id = try await bob.note("n1")
            bob.sync.setCredentials(apiToken: nil, webAuthToken: SharedLists.token("reader"))
            try await bob.retitle(id, "kept")
            let summary = try await bob.sync.sync()
            #expect(summary.reverted.isEmpty && summary.blocked.map(\.objectID) == [id])
            #expect(try await bob.titles() == ["kept", "n2"])
            bob.sync.setCredentials(apiToken: nil, webAuthToken: SharedLists.token("bob"))
            try await bob.sync.blocked.retry()
            try await lists.scenario.settle()
            #expect(try await alice.titles() == ["kept", "n2"])
        }
    }

    @Test("a record that stood behind an object of another zone comes when that zone has gone")
    func unparked() async throws {
        try await SharedLists.run { lists in
            let model = UniqueModel.description
            let (alice, carol) = (try lists.own("alice", model: model), try lists.own("carol", model: model))
            let bob = try lists.guest("bob", model: model)
            for owner in [alice, carol] {
                try await owner.sync.zones.create(named: "Club")
                try await owner.edit { context in
                    try context.assign(context.make("Tag", ["name": "work"]), toZone: "Club")
                }
                try await owner.sync.sync()
                let share = try await owner.sync.sharing.share(zoneNamed: "Club", publicPermission: .readOnly)
                try await bob.sync.sharing.accept(at: share.url)
                try await bob.sync.sync()
            }
            #expect(try await bob.sync.blocked.parkedRecords().count == 1)
            #expect(try await bob.values("name", of: "Tag") == ["work"])
            try await bob.sync.sharing.leave(zoneNamed: "_alice/Club")
            #expect(try await bob.values("name", of: "Tag").isEmpty)
            try await bob.sync.sync()
            #expect(try await bob.values("name", of: "Tag") == ["work"])
            #expect(try await bob.sync.blocked.parkedRecords().isEmpty)
        }
    }

    @Test("changes that leaving loses are given back")
    func lostByLeaving() async throws {
        try await SharedLists.run { lists in
            let (_, share) = try await lists.club(everybody: .readWrite)
            let bob = try await lists.joined("bob", share)
            let id = try await bob.addToFolder("unsent")
            let lost = try await bob.sync.sharing.leave(zoneNamed: "_alice/Club")
            #expect(lost.map(\.objectID) == [id] && lost.first?.values["title"] == .string("unsent"))
        }
    }

    @Test("under another user's token everything of others goes, and nothing of it is sent")
    func otherUser() async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(.bob)
            let bob = try await lists.joined("bob", share)
            try await bob.addToFolder("unsent")
            bob.sync.setCredentials(apiToken: nil, webAuthToken: "carol-0123456789abcdefghijklmnop")
            try await bob.sync.sync()
            #expect(try await bob.hasNothing)
            #expect(try await bob.sync.status.pendingCount == 0)
            try await alice.sync.sync()
            #expect(try await alice.titles() == ["n1", "n2"])
        }
    }
}

@Suite("objects of one unique value in a zone that is only read", .timeLimit(.minutes(3)))
struct SharedTwinTests {
    @Test("become one here, and it is left to others to send that")
    func twins() async throws {
        try await SharedLists.run { lists in
            let model = UniqueModel.description
            let (first, second) = (try lists.own("alice", model: model), try lists.own("alice", model: model))
            try await first.sync.zones.create(named: "Club")
            try await lists.scenario.sync(first, second)
            let share = try await first.sync.sharing.share(zoneNamed: "Club", publicPermission: .readOnly)
            let bob = try await lists.joined("bob", share, model: model)
            for (device, color) in [(first, "red"), (second, "blue")] {
                try await device.edit { context in
                    let tag = try context.make("Tag", ["name": "craft", "color": .string(color)])
                    try context.assign(tag, toZone: "Club")
                }
            }
            // The second device has read before the first sends, and sends before it reads again.
            let faults = lists.scenario.faults
            await faults.set { request in
                guard request.endpoint == "records/modify" else { return nil }
                await faults.set(nil)
                do { try await first.sync.sync() } catch { Issue.record(error) }
                await faults.set { _ in .dropConnection }
                return .dropResponse
            }
            await #expect(throws: BackstitchError.self) { try await second.sync.sync() }
            await lists.scenario.network(nil)
            let summary = try await bob.sync.sync()
            #expect(summary.merged.count == 1 && summary.reverted.isEmpty)
            #expect(try await bob.sync.sync().reverted.isEmpty)
            try await lists.scenario.settle()
            #expect(try await bob.values("name", of: "Tag") == ["craft"])
            try await lists.scenario.expectNothingUnsent()
        }
    }
}
