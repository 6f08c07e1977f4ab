import Backstitch
import BackstitchServer
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("keys of a shared zone", .timeLimit(.minutes(3)))
struct SharedKeysTests {
    @Test("guests and owner read each other's values, and no key has passed between them", arguments: ["Club", ""])
    func reading(_ zone: String) async throws {
        try await SharedVaults.run { vaults in
            let alice = try vaults.own("alice")
            let first = try await alice.addSecret("hidden", inZone: zone)
            try await alice.sync.sync()
            #expect(try await alice.sealedUnder(first, zone: zone) == "alice")
            let share = try await alice.sync.sharing.share(zoneNamed: zone, participants: [.bob, .reader(of: "carol")])
            let name = zone.isEmpty ? "_alice" : "_alice/\(zone)"
            let bob = try vaults.guest("bob"), carol = try vaults.guest("carol")
            for device in [bob, carol] {
                let accepted = try await device.sync.sharing.accept(at: share.url)
                #expect(accepted.currentUser?.publicKey != nil)
                // Before the owner's device was there the values wait, and the reason is told.
                try await device.sync.sync()
                #expect(try await device.values("text", of: "Secret").isEmpty)
                #expect(try await device.keyProblem(name)?.contains("has not given the zone its keys yet") == true)
            }
            try await vaults.lists.scenario.sync(alice, bob, carol)
            for device in [bob, carol] { #expect(try await device.values("text", of: "Secret") == ["hidden"]) }
            let key = try await alice.keysDocument(zone).key
            // Values under the owner's own key were encrypted anew.
            #expect(try await alice.sealedUnder(first, zone: zone) == key)
            try await bob.set(first, ["text": "of Bob", "large": .int(7)])
            let second = try await bob.addSecret("new", inZone: name)
            try await vaults.lists.scenario.sync(bob, alice, carol)
            for device in [alice, carol] {
                #expect(try await device.values("text", of: "Secret") == ["new", "of Bob"])
                #expect(try await device.secret(first)["large"] == .int(7))
            }
            #expect(try await alice.sealedUnder(second, zone: zone) == key)
            for device in [alice, bob, carol] {
                let status = try await device.sync.encryption.status()
                #expect(status.zoneProblems == [:] && status.missingKeys == [:] && status.recordsToRotate == 0)
                #expect(try await device.sync.blocked.parkedRecords().isEmpty)
                #expect(try await device.sync.sync().sent == 0)
            }
        }
    }

    @Test("a single object with encrypted attributes is not shared, since no guest could get a key for it")
    func singleObjects() async throws {
        try await SharedVaults.run { vaults in
            let alice = try vaults.own("alice")
            let secret = try await alice.addSecret("hidden", inZone: "")
            try await alice.sync.sync()
            let error = await #expect(throws: BackstitchError.self) {
                try await alice.sync.sharing.shareInPlace(secret, participants: [.bob])
            }
            #expect(error?.code == .invalidRequest && error?.objectID == secret)
            #expect(error?.message.contains("has encrypted attributes") == true, "\(error?.message ?? "")")
            #expect(try await alice.sync.sharing.shares().isEmpty)
        }
    }

    @Test("an asset comes to a guest, and an object that moves out of the zone keeps its values")
    func assets() async throws {
        try await SharedVaults.run { vaults in
            let (alice, bob, _, secret) = try await vaults.club()
            let scan = Data((0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })
            try await bob.set(secret, ["scan": .data(scan)])
            try await vaults.lists.scenario.sync(bob, alice)
            #expect(try await alice.secret(secret)["scan"] == .data(scan))
            try await alice.sync.zones.move([secret], to: "")
            for _ in 0..<3 { try await vaults.lists.scenario.sync(alice, bob) }
            #expect(try await bob.values("text", of: "Secret").isEmpty)
            let desk = try vaults.own("alice")
            for _ in 0..<2 { try await desk.sync.sync() }
            #expect(try await desk.secret(secret)["scan"] == .data(scan))
            #expect(try await desk.values("text", of: "Secret") == ["hidden"])
            #expect(try await alice.sealedUnder(secret, zone: "") == "alice")
        }
    }

    @Test("who is removed opens nothing that is written afterwards, with all that the server ever gave before")
    func removal() async throws {
        try await SharedVaults.run { vaults in
            let (alice, bob, carol, secret) = try await vaults.club()
            let before = try await carol.keysDocument(SharedVaults.name)
            let old = try await carol.sealed(secret, zone: SharedVaults.name)
            let zone = try ZoneKeys(
                before, with: [vaults.identity("carol")], from: [vaults.identity("alice").publicKey],
                at: SharedVaults.place)
            #expect(zone.current.opens(old, of: secret) == .string("hidden"))
            try await vaults.remove("carol", by: alice)
            try await vaults.lists.scenario.sync(alice, bob)
            try await bob.set(secret, ["text": "later"])
            let new = try await alice.addSecret("of Alice, later", inZone: "Club")
            for _ in 0..<2 { try await vaults.lists.scenario.sync(bob, alice) }
            #expect(try await alice.values("text", of: "Secret") == ["later", "of Alice, later"])
            let after = try await alice.keysDocument()
            #expect(after.key != before.key && after.generation > before.generation)
            #expect(after.recipients.map(\.user) == ["_alice", "_bob"])
            // The later document is not sealed for Carol, and none of her keys opens the former keys in it.
            let fault = #expect(throws: ZoneKeysFault.self) {
                _ = try ZoneKeys(
                    after, with: [vaults.identity("carol")], from: [vaults.identity("alice").publicKey],
                    at: SharedVaults.place)
            }
            #expect(fault?.reason.contains("no key for this user") == true)
            let hers = [zone.current] + zone.former
            for id in [secret, new] {
                let sealed = try await alice.sealed(id)
                #expect(SealedEnvelope(sealed)?.keyID == after.key)
                for key in hers {
                    #expect(key.opens(sealed, of: id) == nil)
                    // Under any name.
                    let renamed = try EncryptionKey(id: after.key, bytes: key.bytes)
                    #expect(renamed.opens(sealed, of: id) == nil)
                }
            }
            #expect(try await carol.sync.sync().deleted == [secret])
            await #expect(throws: (any Error).self) { try await carol.client(SharedVaults.name) }
            for device in [alice, bob] {
                #expect(try await device.sync.encryption.status().recordsToRotate == 0)
                #expect(try await device.sync.sync().sent == 0)
            }
        }
    }

    @Test("who leaves, and everybody when the share is stopped, gets no key that comes after")
    func leaving() async throws {
        try await SharedVaults.run { vaults in
            let (alice, bob, carol, secret) = try await vaults.club()
            let first = try await alice.keysDocument()
            try await carol.sync.sharing.leave(zoneNamed: SharedVaults.name)
            try await vaults.lists.scenario.sync(alice, bob)
            let second = try await alice.keysDocument()
            #expect(second.key != first.key && second.recipients.map(\.user) == ["_alice", "_bob"])
            try await alice.sync.sharing.stop(zoneNamed: "Club")
            for _ in 0..<2 { try await alice.sync.sync() }
            let third = try await alice.keysDocument()
            #expect(third.key != second.key && third.recipients.map(\.user) == ["_alice"])
            #expect(try await alice.sealedUnder(secret) == third.key)
            // A later device of the owner reads it nevertheless.
            let desk = try vaults.own("alice")
            try await desk.sync.sync()
            #expect(try await desk.values("text", of: "Secret") == ["hidden"])
            #expect(try await desk.sync.sync().sent == 0)
            #expect(try await alice.keysDocument() == third)
        }
    }

    @Test("values are read in the same sync as their keys and the share, in whatever pages these come")
    func pages() async throws {
        var limits = WireLimits.extended
        limits.page = 1
        try await SharedVaults.run(limits: limits) { vaults in
            let (alice, bob, _, secret) = try await vaults.club()
            var share = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
            // In the order of their changes: the keys, the secret, the share.
            try await bob.set(secret, ["text": "of Bob"])
            try await bob.sync.sync()
            share.title = "of late"
            _ = try await alice.sync.sharing.update(share)
            let desk = try vaults.own("alice"), tablet = try vaults.guest("bob")
            try await tablet.sync.sharing.accept(at: share.url)
            for device in [desk, tablet] {
                try await device.sync.sync()
                #expect(try await device.values("text", of: "Secret") == ["of Bob"])
                #expect(try await device.sync.blocked.parkedRecords().isEmpty)
            }
        }
    }

    @Test("values that come before their keys are read in the same sync, also where all is read anew")
    func keysAfterValues() async throws {
        var limits = WireLimits.extended
        limits.page = 1
        try await SharedVaults.run(limits: limits) { vaults in
            // Sends nothing, so that no conflict brings the value by another way.
            let alice = try vaults.own("alice"), desk = try vaults.own("alice", [.syncReadOnly: true])
            let secret = try await alice.addSecret("hidden", inZone: "")
            try await alice.sync.sync()
            try await desk.sync.sync()
            #expect(try await desk.values("text", of: "Secret") == ["hidden"])
            var share = try await alice.sync.sharing.share(zoneNamed: "", participants: [.bob])
            let bob = try vaults.guest("bob")
            try await bob.sync.sharing.accept(at: share.url)
            try await vaults.lists.scenario.sync(alice, bob)
            try await bob.set(secret, ["text": "of Bob"])
            try await bob.sync.sync()
            // Another guest is given the keys, which are those of the value.
            share = try #require(try await alice.sync.sharing.share(ofZoneNamed: ""))
            share.participants.append(.carol)
            share = try await alice.sync.sharing.update(share)
            let carol = try vaults.guest("carol")
            try await carol.sync.sharing.accept(at: share.url)
            try await alice.sync.sync()
            let fresh = try vaults.own("alice")
            try await fresh.sync.sync()
            try await desk.sync.syncFromScratch()
            for device in [fresh, desk] {
                #expect(try await device.values("text", of: "Secret") == ["of Bob"])
                #expect(try await device.sync.blocked.parkedRecords().isEmpty)
            }
        }
    }

    @Test("a device that was offline while a key was replaced sends its edits under the new one")
    func offline() async throws {
        try await SharedVaults.run { vaults in
            let (alice, bob, carol, secret) = try await vaults.club()
            try await bob.set(secret, ["other": "of Bob"])
            let made = try await bob.addSecret("made offline", inZone: SharedVaults.name)
            _ = carol
            try await vaults.remove("carol", by: alice)
            try await alice.sync.sync()
            try await alice.set(secret, ["text": "newer"])
            try await vaults.lists.scenario.sync(alice, bob, alice)
            let key = try await alice.keysDocument().key
            for id in [secret, made] { #expect(try await alice.sealedUnder(id) == key) }
            #expect(SealedEnvelope(try await alice.sealed(secret, "other"))?.keyID == key)
            for device in [alice, bob] {
                #expect(try await device.values("text", of: "Secret") == ["made offline", "newer"])
                #expect(try await device.secret(secret)["other"] == .string("of Bob"))
                #expect(try await device.sync.blocked.parkedRecords().isEmpty)
            }
        }
    }

    @Test("two devices of the owner that replace the key at the same time end with one ring", arguments: 0..<6)
    func race(_ round: Int) async throws {
        try await SharedVaults.run { vaults in
            let (alice, bob, _, secret) = try await vaults.club()
            let desk = try vaults.own("alice")
            try await desk.sync.sync()
            #expect(try await desk.values("text", of: "Secret") == ["hidden"])
            try await vaults.remove("carol", by: alice)
            // Each is kept from writing its document until both are about to.
            let faults = vaults.lists.scenario.faults, waiting = Locked(0), haveMet = Locked(false)
            await faults.set { request in
                guard request.endpoint == "records/modify" else { return nil }
                let number = waiting.withLock { count in
                    count += 1
                    return count
                }
                guard number <= 2, (try? await eventually { waiting.withLock { $0 } >= 2 }) == true else { return nil }
                haveMet.withLock { $0 = true }
                return round % 3 == 2 ? .dropResponse : nil
            }
            async let one = Result { try await alice.sync.sync() }
            async let two = Result { try await desk.sync.sync() }
            _ = await (one, two)
            #expect(haveMet.withLock { $0 })
            await faults.clear()
            for _ in 0..<3 { try await vaults.lists.scenario.sync(alice, desk, bob) }
            let document = try await alice.keysDocument()
            #expect(document.recipients.map(\.user) == ["_alice", "_bob"])
            for device in [alice, desk] {
                let view = try await #require(device.sync.services.zoneKeys).view(of: "Club").view
                #expect(view.keys?.current.id == document.key && view.keys?.generation == document.generation)
                #expect(view.keys?.former.map(\.id) == document.former.map(\.id))
                #expect(view.duty == nil && view.problem == nil && view.fault == nil)
                #expect(try await device.sync.sync().sent == 0)
            }
            #expect(try await alice.sealedUnder(secret) == document.key)
            // One of the two has replaced the key, and the other one has continued with the new one.
            #expect(document.former.count == 1)
            try await desk.set(secret, ["text": "of the desk"])
            try await vaults.lists.scenario.sync(desk, bob, alice)
            for device in [bob, alice] { #expect(try await device.values("text", of: "Secret") == ["of the desk"]) }
        }
    }
}

extension EncryptionKey {
    /// The text of a secret that the key opens.
    fileprivate func opens(_ bytes: Data, of id: ObjectID) -> WireValue? {
        opened(bytes, recordName: id.key.uuidString, recordType: "Secret", field: "text")
    }
}

extension Share.Participant {
    fileprivate static func reader(of name: String) -> Share.Participant {
        Share.Participant(emailAddress: "\(name)@example.org", permission: .readOnly)
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ work: () async throws -> Success) async {
        do { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
