import Backstitch
import BackstitchSimulator
import BackstitchSupport
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite(
    "single objects that are shared by a server that knows CloudKit Web Services and nothing else",
    .timeLimit(.minutes(3)))
struct PlainObjectSharingTests {
    @Test(
        "a guest has the object and what hangs on it, and nothing else; edits go both ways, and the share ends",
        arguments: PlainServerTests.behaviors)
    func life(_ behavior: PlainBehavior) async throws {
        try await PlainWorld.run(behavior, hasUsers: true) { world in
            let alice = try await world.alice()
            let root = try await alice.folder("F"), sub = try await alice.folder("Sub")
            let share = try await alice.container.shareInPlace(
                root, title: "Rome", publicPermission: .readWrite)
            #expect(share.root == root && !share.isOfZone && share.title == "Rome")
            // Asked again, here or on another device, it is the same.
            #expect(try await alice.container.shareInPlace(root).url == share.url)
            #expect(try await alice.sync.sharing.share(ofObject: root)?.url == share.url)
            let tablet = try world.own("_alice")
            try await tablet.sync.sync()
            #expect(try await tablet.container.shareInPlace(root).url == share.url)
            #expect(try await tablet.sync.sharing.shares().map(\.root) == [root])

            let bob = try world.guest("_bob")
            #expect(try await bob.sync.sharing.share(at: share.url).title == "Rome")
            #expect(try await !bob.container.acceptShare(at: share.url).isOfZone)
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["n1", "n2", "s1"])
            #expect(try await bob.folders() == ["F", "Sub"])
            #expect(try await bob.sync.zones.all().map(\.name) == ["_alice"])
            #expect(try await bob.sync.sharing.shares().map(\.root) == [root])
            #expect(try await bob.container.shares(matching: [bob.note("s1")]).values.map(\.url) == [share.url])

            // Both change it.
            try await bob.retitle(bob.note("n1"), "of Bob")
            let new = try await bob.add("new of Bob", to: sub)
            #expect(try await bob.sync.sync().reverted.isEmpty)
            try await alice.add("new of Alice", to: sub)
            try await alice.put(alice.folder("G"), into: root)
            for device in [alice, bob, tablet] { try await device.sync.sync() }
            let all = ["g1", "n2", "new of Alice", "new of Bob", "of Bob", "s1"]
            for device in [alice, bob, tablet] { #expect(try await device.titles() == all) }
            #expect(try await bob.folders() == ["F", "G", "Sub"])
            try await bob.delete(new)
            try await bob.sync.sync()
            try await alice.sync.sync()
            #expect(try await alice.titles() == all.filter { $0 != "new of Bob" })

            // A folder that moves to another place leaves his sight, together with his unsent changes.
            try await bob.retitle(bob.note("g1"), "unsent")
            try await alice.put(alice.folder("G"), into: alice.folder("Top"))
            try await alice.sync.sync()
            #expect(try await bob.sync.sync().reverted.map(\.values) == [["title": .string("unsent")]])
            #expect(try await bob.folders() == ["F", "Sub"])
            // The object that is shared he neither deletes nor moves.
            try await expectDenied(bob, [root, sub]) { $0.delete(try $0.existingObject(with: root)) }

            // He leaves, and returns. Then the share ends for him alone.
            try await bob.sync.sharing.leave(try #require(try await bob.sync.sharing.shares().first))
            #expect(try await bob.hasNothing)
            try await bob.sync.sharing.accept(at: share.url)
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["n2", "new of Alice", "of Bob", "s1"])
            try await alice.sync.sharing.stop(try #require(try await alice.sync.sharing.share(ofObject: root)))
            try await bob.sync.sync()
            #expect(try await bob.hasNothing)
            try await tablet.sync.sync()
            #expect(try await tablet.sync.sharing.shares().isEmpty)
            #expect(try await tablet.titles() == ["g1", "n2", "new of Alice", "of Bob", "s1"])
            for device in [alice, tablet, bob] { #expect(try await device.sync.blocked.changes().isEmpty) }
            #expect(world.oddRefusals.isEmpty, "\(world.oddRefusals)")
        }
    }

    @Test(
        "the object is known whether its record comes before its share or after it, and to a share that comes anew",
        arguments: [1, 2, 200])
    func root(page: Int) async throws {
        var behavior = PlainBehavior()
        behavior.page = page
        try await PlainWorld.run(behavior, hasUsers: true) { world in
            let alice = try await world.alice()
            let root = try await alice.folder("F")
            let phone = try world.own("_alice")
            try await phone.sync.sync()
            let share = try await alice.container.shareInPlace(root, publicPermission: .readWrite)
            // An owner's feed has the share before the object, a guest's has the object before the share.
            let bob = try await world.joined("_bob", share), tablet = try world.guest("_bob")
            for device in [phone, tablet] { try await device.sync.sync() }
            for device in [phone, bob, tablet] { #expect(try await device.sync.sharing.shares().map(\.root) == [root]) }
            #expect(try await tablet.sync.objects.canUpdate(tablet.note("s1")))
            var changed = try #require(try await alice.sync.sharing.share(ofObject: root))
            (changed.title, changed.publicPermission) = ("Other", .readOnly)
            #expect(try await alice.sync.sharing.update(changed).root == root)
            for device in [phone, bob, tablet] {
                try await device.sync.sync()
                #expect(try await device.sync.sharing.shares().map(\.root) == [root])
                #expect(try await device.sync.sharing.shares().map(\.title) == ["Other"])
            }
            #expect(try await !tablet.sync.objects.canUpdate(tablet.note("s1")))
            // Whether everything is read again or not.
            try await tablet.sync.syncFromScratch()
            #expect(try await tablet.sync.sharing.shares().map(\.root) == [root])
            world.server.expireTokens()
            for device in [phone, bob, tablet] {
                try await device.sync.sync()
                #expect(try await device.sync.sharing.shares().map(\.root) == [root])
            }
            let error = await #expect(throws: BackstitchError.self) {
                try await alice.sync.zones.move(
                    [alice.note("n1"), root], to: alice.sync.zones.create(named: "Z").name)
            }
            #expect(error?.code == .invalidRequest)
            let other = await #expect(throws: BackstitchError.self) {
                try await phone.sync.zones.move([root], to: phone.sync.zones.create(named: "Y").name)
            }
            #expect(other?.code == .invalidRequest)
        }
    }

    @Test("of several shares in one zone each gives its rights, also one of what was in sight before, and once more")
    func nested() async throws {
        try await PlainWorld.run(hasUsers: true) { world in
            let alice = try await world.alice()
            let outer = try await alice.container.shareInPlace(alice.folder("F"), publicPermission: .readOnly)
            let bob = try await world.joined("_bob", outer), tablet = try world.guest("_bob")
            try await tablet.sync.sync()
            let sub = try await alice.folder("Sub")
            let inner = try await alice.container.shareInPlace(sub, publicPermission: .readWrite)
            for device in [bob, tablet] { try await device.sync.sync() }
            #expect(try await bob.sync.sharing.shares().count == 1)
            for round in 0..<2 {
                try await bob.sync.sharing.accept(at: inner.url)
                for device in [bob, tablet] {
                    try await device.sync.sync()
                    #expect(try await device.sync.objects.canUpdate(device.note("s1")), "round \(round)")
                    #expect(try await !device.sync.objects.canUpdate(device.note("n1")))
                    #expect(try await device.sync.sharing.shares().count == 2)
                }
                let s1 = try await bob.note("s1")
                try await bob.change(s1) { note, _ in note.rank = round }
                #expect(try await bob.sync.sync().reverted.isEmpty)
                let mine = try #require(try await bob.sync.sharing.shares().first { $0.root == sub })
                try await bob.sync.sharing.leave(mine)
                for device in [bob, tablet] {
                    try await device.sync.sync()
                    #expect(try await !device.sync.objects.canUpdate(s1))
                    #expect(try await device.titles() == ["n1", "n2", "s1"])
                    #expect(try await device.sync.sharing.shares().count == 1)
                }
            }
            try await alice.delete(alice.folder("F"))
            try await alice.sync.sync()
            for device in [bob, tablet] {
                try await device.sync.sync()
                #expect(try await device.hasNothing)
            }
        }
    }

    @Test("of a zone that is shared as a whole no object is shared beside that, and the other way round")
    func eitherKind() async throws {
        try await PlainWorld.run(hasUsers: true) { world in
            let alice = try await world.alice()
            let root = try await alice.folder("F"), phone = try world.own("_alice")
            try await phone.sync.sync()
            _ = try await alice.sync.sharing.share(zoneNamed: "")
            for device in [alice, phone] {
                await #expect(throws: BackstitchError.self) { try await device.container.shareInPlace(root) }
            }
            try await alice.sync.sharing.stop(zoneNamed: "")
            _ = try await alice.container.shareInPlace(root)
            await #expect(throws: BackstitchError.self) { try await alice.sync.sharing.share(zoneNamed: "") }
        }
    }

    @Test("an object is shared in the version that it has, though another device changes it just before")
    func version() async throws {
        try await PlainWorld.run(hasUsers: true) { world in
            let alice = try await world.alice()
            let root = try await alice.folder("F"), asked = Locked(0)
            world.interfere { [unowned world] request, _ in
                let body = String(decoding: request.body, as: UTF8.self)
                guard request.path.contains("records/lookup"), body.contains("\"\(root.key.uuidString)\"") else {
                    return nil
                }
                let times = asked.withLock { count in
                    count += 1
                    return count
                }
                guard times <= 2 else { return nil }
                world.program(
                    "forceUpdate",
                    [
                        "recordName": .string(root.key.uuidString), "recordType": .string("Folder"),
                        "fields": .object(["name": .object(["value": .string("F2"), "type": .string("STRING")])]),
                    ])
                return nil
            }
            let share = try await alice.container.shareInPlace(root)
            #expect(share.root == root)
            #expect(asked.withLock { $0 } > 2)
            // It has the version with the share, and the other device's name.
            #expect(try await alice.folders() == ["F2", "G", "Sub", "Top"])
            let other = try await alice.folder("G")
            world.interfere { [unowned world] request, _ in
                guard request.path.contains("records/lookup") else { return nil }
                world.program(
                    "forceUpdate",
                    [
                        "recordName": .string(other.key.uuidString), "recordType": .string("Folder"),
                        "fields": .object([:]),
                    ])
                return nil
            }
            let error = await #expect(throws: BackstitchError.self) { try await alice.container.shareInPlace(other) }
            #expect(error?.code == .saveConflict)
            world.interfere(nil)
            #expect(try await alice.container.shareInPlace(other).root == other)
        }
    }
}
