import Backstitch
import BackstitchSimulator
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("whose keys a shared zone trusts", .timeLimit(.minutes(3)))
struct KeyTrustTests {
    /// The keys that events have told as refused.
    private static func refusals(of device: SyncDevice) -> Locked<[ParticipantKey]> {
        let told = Locked<[ParticipantKey]>([]), events = device.sync.events
        Task {
            for await event in events {
                if case .keyRefused(let key) = event { told.withLock { $0.append(key) } }
            }
        }
        return told
    }

    @Test("each sees the others' fingerprints, and they are those of their identities")
    func fingerprints() async throws {
        try await SharedVaults.run { vaults in
            let (alice, bob, _, _) = try await vaults.club()
            let share = try #require(try await alice.sync.sharing.shares().first)
            for user in ["alice", "bob", "carol"] {
                let participant = share.participants.first { $0.userRecordName == "_\(user)" }
                #expect(participant?.keyFingerprint == vaults.identity(user).publicKey.fingerprint)
            }
            let keys = try await alice.sync.encryption.participantKeys(inZoneNamed: "Club")
            #expect(keys.map(\.userRecordName) == ["_bob", "_carol"] && keys.allSatisfy { $0.state == .trusted })
            let owners = try await bob.sync.encryption.participantKeys(inZoneNamed: SharedVaults.name).first
            #expect(owners?.role == .owner && owners?.state == .trusted)
            #expect(owners?.publicKey == vaults.identity("alice").publicKey)
        }
    }

    @Test("another public key of a guest is told, and nothing is sealed for it before it is trusted")
    func changedKey() async throws {
        try await SharedVaults.run { vaults in
            let (alice, bob, carol, secret) = try await vaults.club()
            let told = Self.refusals(of: alice)
            let old = vaults.identity("bob"), before = try await alice.keysDocument()
            vaults.loseIdentity("bob")
            let phone = try vaults.guest("bob")
            let share = try #require(try await alice.sync.sharing.shares().first)
            try await phone.sync.sharing.accept(at: share.url)
            try await vaults.lists.scenario.sync(alice, phone)
            // It may be the server's doing.
            let key = try #require(try await alice.sync.encryption.participantKeys(inZoneNamed: "Club").first)
            #expect(key.state == .refused && key.publicKey == vaults.identity("bob").publicKey)
            #expect(key.trustedKey == old.publicKey)
            #expect(try await alice.keysDocument() == before)
            #expect(try await phone.values("text", of: "Secret").isEmpty)
            #expect(try await phone.keyProblem(SharedVaults.name)?.contains("has not sealed one yet") == true)
            // The device with the old key reads on.
            try await alice.set(secret, ["text": "second"])
            try await vaults.lists.scenario.sync(alice, bob)
            #expect(try await bob.values("text", of: "Secret") == ["second"])
            for _ in 0..<2 { try await alice.sync.sync() }
            #expect(
                try await eventually {
                    told.withLock { $0.map(\.publicKey) } == [vaults.identity("bob").publicKey]
                })

            try await alice.sync.encryption.trust(key)
            try await vaults.lists.scenario.sync(alice, phone, carol)
            for device in [phone, carol] { #expect(try await device.values("text", of: "Secret") == ["second"]) }
            let after = try await alice.keysDocument()
            // The lost device may be in the hands of a thief.
            #expect(after.key != before.key)
            #expect(throws: ZoneKeysFault.self) {
                _ = try ZoneKeys(
                    after, with: [old], from: [vaults.identity("alice").publicKey], at: SharedVaults.place)
            }
            #expect(try await alice.sealedUnder(secret) == after.key)
            #expect(
                try await alice.sync.encryption.participantKeys(inZoneNamed: "Club").allSatisfy { $0.state == .trusted }
            )
            // The device with the lost key says so, and does not take the user's key back.
            try await bob.sync.sync()
            #expect(try await bob.keyProblem(SharedVaults.name)?.contains("another public key of this user") == true)
            try await alice.sync.sync()
            #expect(try await alice.keysDocument() == after)
        }
    }

    @Test(
        "another public key of the owner is told, and keys that are sealed with it are not taken before it is trusted")
    func changedOwner() async throws {
        try await SharedVaults.run { vaults in
            let (alice, bob, _, secret) = try await vaults.club()
            let old = vaults.identity("alice")
            vaults.loseIdentity("alice")
            // With the former identity at hand, the owner continues with a new one.
            let next = SeveralIdentities([vaults.identity("alice"), old])
            let desk = try vaults.own("alice", [.syncShareIdentity: next])
            for _ in 0..<2 { try await desk.sync.sync() }
            try await desk.set(secret, ["text": "under the next"])
            try await vaults.lists.scenario.sync(desk, bob)
            let key = try #require(try await bob.sync.encryption.participantKeys(inZoneNamed: SharedVaults.name).first)
            #expect(key.state == .refused && key.trustedKey == old.publicKey)
            #expect(try await bob.keyProblem(SharedVaults.name)?.contains("not trusted as the owner's") == true)
            try await bob.sync.encryption.trust(key)
            try await bob.sync.sync()
            #expect(try await bob.keyProblem(SharedVaults.name) == nil)
            #expect(try await bob.values("text", of: "Secret") == ["under the next"])
            _ = alice
        }
    }

    @Test("a guest who trusts an owner's other identity takes the keys that it has begun anew")
    func begunAnew() async throws {
        try await SharedVaults.run { vaults in
            let (_, bob, _, _) = try await vaults.club()
            let desk = try vaults.own("alice", [.syncShareIdentity: ShareIdentity.generated()])
            for _ in 0..<2 { try await vaults.lists.scenario.sync(desk, bob) }
            #expect(try await desk.keysDocument().generation == 1)
            let key = try #require(try await bob.sync.encryption.participantKeys(inZoneNamed: SharedVaults.name).first)
            try await bob.sync.encryption.trust(key)
            let secret = try await desk.addSecret("of the desk", inZone: "Club")
            for _ in 0..<2 { try await vaults.lists.scenario.sync(desk, bob) }
            #expect(try await bob.keyProblem(SharedVaults.name) == nil)
            #expect(try await bob.secret(secret)["text"] == .string("of the desk"))
        }
    }

    @Test("a guest's other public key is told in a zone in which that guest has not been before, too")
    func otherZone() async throws {
        try await SharedVaults.run { vaults in
            let (alice, _, _, _) = try await vaults.club()
            let old = vaults.identity("bob")
            _ = try await alice.addSecret("of the team", inZone: "Team")
            try await alice.sync.sync()
            vaults.loseIdentity("bob")
            let phone = try vaults.guest("bob")
            let share = try await alice.sync.sharing.share(zoneNamed: "Team", participants: [.bob, .carol])
            let carol = try vaults.guest("carol")
            for device in [phone, carol] { try await device.sync.sharing.accept(at: share.url) }
            for _ in 0..<2 { try await vaults.lists.scenario.sync(alice, phone, carol) }
            let keys = try await alice.sync.encryption.participantKeys(inZoneNamed: "Team")
            #expect(keys.map(\.state) == [.refused, .trusted])
            #expect(keys.first?.trustedKey == old.publicKey)
            // As in the zone that both know, the former key stays the user's until then.
            let sealed = try await alice.keysDocument("Team").recipients.filter { $0.user == "_bob" }
            #expect(sealed.map(\.key) == [old.publicKey.data])
            #expect(try await phone.values("text", of: "Secret").isEmpty)
            try await alice.sync.encryption.trust(try #require(keys.first))
            try await vaults.lists.scenario.sync(alice, phone)
            #expect(try await phone.values("text", of: "Secret") == ["of the team"])
        }
    }

    @Test(
        "an owner's other public key is told when a zone comes back that had gone, whichever device accepts it",
        arguments: [true, false])
    func cameBack(_ acceptsItself: Bool) async throws {
        try await SharedVaults.run { vaults in
            let (alice, bob, _, _) = try await vaults.club()
            let old = vaults.identity("alice")
            try await vaults.remove("bob", by: alice)
            for _ in 0..<2 { try await vaults.lists.scenario.sync(alice, bob) }
            #expect(try await bob.sync.zones.all().isEmpty)
            vaults.loseIdentity("alice")
            let next = SeveralIdentities([vaults.identity("alice"), old])
            let desk = try vaults.own("alice", [.syncShareIdentity: next])
            for _ in 0..<2 { try await desk.sync.sync() }
            var share = try #require(try await desk.sync.sharing.share(ofZoneNamed: "Club"))
            share.participants.append(.bob)
            share = try await desk.sync.sharing.update(share)
            let accepting = acceptsItself ? bob : try vaults.guest("bob")
            try await accepting.sync.sharing.accept(at: share.url)
            for _ in 0..<2 { try await vaults.lists.scenario.sync(desk, bob) }
            let key = try #require(try await bob.sync.encryption.participantKeys(inZoneNamed: SharedVaults.name).first)
            #expect(key.state == .refused && key.trustedKey == old.publicKey)
            #expect(try await bob.values("text", of: "Secret").isEmpty)
            try await bob.sync.encryption.trust(key)
            for _ in 0..<2 { try await vaults.lists.scenario.sync(bob, desk) }
            #expect(try await bob.values("text", of: "Secret") == ["hidden"])
        }
    }

    @Test("two devices of the owner with different identities do not replace each other's keys for ever")
    func twoIdentities() async throws {
        try await SharedVaults.run { vaults in
            let (alice, bob, _, secret) = try await vaults.club()
            let desk = try vaults.own("alice", [.syncShareIdentity: ShareIdentity.generated()])
            for _ in 0..<3 { try await vaults.lists.scenario.sync(desk, alice, bob) }
            #expect(try await alice.keyProblem()?.contains("another public key of this user") == true)
            let key = try await bob.sync.encryption.participantKeys(inZoneNamed: SharedVaults.name).first
            #expect(key?.state == .refused && key?.trustedKey == vaults.identity("alice").publicKey)
            let before = try await alice.keysRecord()?.recordChangeTag
            for _ in 0..<3 { try await vaults.lists.scenario.sync(desk, alice, bob) }
            #expect(try await alice.keysRecord()?.recordChangeTag == before)
            // Those who trust each other go on.
            try await alice.set(secret, ["text": "of the first device"])
            try await vaults.lists.scenario.sync(alice, bob)
            #expect(try await bob.values("text", of: "Secret") == ["of the first device"])
        }
    }

    @Test("code decides whose keys are trusted, and is asked once about each")
    func code() async throws {
        try await SharedVaults.run { vaults in
            let asked = Locked<[ParticipantKey]>([])
            let trust = ParticipantKeyTrust { key in
                asked.withLock { $0.append(key) }
                return key.userRecordName == "_carol"
            }
            let alice = try vaults.own("alice", [.syncKeyTrust: trust])
            _ = try await alice.addSecret("hidden", inZone: "Club")
            try await alice.sync.sync()
            let share = try await alice.sync.sharing.share(zoneNamed: "Club", participants: [.bob, .carol])
            try await alice.sync.sync()
            let bob = try vaults.guest("bob"), carol = try vaults.guest("carol")
            for device in [bob, carol] { try await device.sync.sharing.accept(at: share.url) }
            for _ in 0..<2 { try await vaults.lists.scenario.sync(alice, bob, carol) }
            #expect(asked.withLock { $0.map(\.userRecordName).sorted() } == ["_bob", "_carol"])
            #expect(asked.withLock { $0.allSatisfy { $0.trustedKey == nil && $0.zone == "Club" } })
            #expect(try await alice.keysDocument().recipients.map(\.user) == ["_alice", "_carol"])
            #expect(try await carol.values("text", of: "Secret") == ["hidden"])
            #expect(try await bob.values("text", of: "Secret").isEmpty)
            let states = try await alice.sync.encryption.participantKeys(inZoneNamed: "Club").map(\.state)
            #expect(states == [.refused, .trusted])
            let gone = ParticipantKey(
                zone: "Club", userRecordName: "_bob", role: .privateUser, publicKey: vaults.identity("eve").publicKey,
                trustedKey: nil)
            let error = await #expect(throws: BackstitchError.self) { try await alice.sync.encryption.trust(gone) }
            #expect(error?.code == .saveConflict)
        }
    }

    @Test("a key that the program trusts while another one is judged stays trusted")
    func trustedMeanwhile() async throws {
        try await SharedVaults.run { vaults in
            let confirmed = Locked<(sync: SyncController, key: ParticipantKey)?>(nil)
            let trust = ParticipantKeyTrust { key in
                guard key.userRecordName == "_carol" else { return false }
                let next = confirmed.withLock { waiting in
                    defer { waiting = nil }
                    return waiting
                }
                do { if let next { try await next.sync.encryption.trust(next.key) } } catch { return false }
                return true
            }
            let alice = try vaults.own("alice", [.syncKeyTrust: trust])
            _ = try await alice.addSecret("hidden", inZone: "Club")
            try await alice.sync.sync()
            let share = try await alice.sync.sharing.share(zoneNamed: "Club", participants: [.bob, .carol])
            let bob = try vaults.guest("bob"), carol = try vaults.guest("carol")
            try await bob.sync.sharing.accept(at: share.url)
            try await vaults.lists.scenario.sync(alice, bob)
            let keys = try await alice.sync.encryption.participantKeys(inZoneNamed: "Club")
            let key = try #require(keys.first)
            #expect(keys.map(\.state) == [.refused])
            confirmed.withLock { $0 = (alice.sync, key) }
            try await carol.sync.sharing.accept(at: share.url)
            for _ in 0..<2 { try await vaults.lists.scenario.sync(alice, bob, carol) }
            let states = try await alice.sync.encryption.participantKeys(inZoneNamed: "Club").map(\.state)
            #expect(states == [.trusted, .trusted])
            for device in [bob, carol] { #expect(try await device.values("text", of: "Secret") == ["hidden"]) }
        }
    }

    @Test("a private key that cannot be had is a state: what is here stays, edits wait, and all goes on when it comes")
    func lostIdentity() async throws {
        try await SharedVaults.run { vaults in
            let (alice, _, _, secret) = try await vaults.club()
            let identity = LosableIdentity(vaults.identity("bob"))
            let share = try #require(try await alice.sync.sharing.shares().first)
            var bob = try vaults.guest("bob", "bob", [.syncShareIdentity: identity])
            try await bob.sync.sharing.accept(at: share.url)
            try await bob.sync.sync()
            #expect(try await bob.values("text", of: "Secret") == ["hidden"])
            try bob.close()
            identity.isLost.withLock { $0 = true }
            bob = try vaults.guest("bob", "bob", [.syncShareIdentity: identity])
            try await alice.set(secret, ["text": "newer"])
            try await alice.sync.sync()
            try await bob.set(secret, ["other": "of Bob"])
            try await bob.sync.sync()
            #expect(try await bob.values("text", of: "Secret") == ["hidden"])
            #expect(try await bob.keyProblem(SharedVaults.name)?.contains("could not give the share identity") == true)
            #expect(try await bob.sync.encryption.status().missingKeys.count == 1)
            identity.isLost.withLock { $0 = false }
            for _ in 0..<2 { try await vaults.lists.scenario.sync(bob, alice) }
            #expect(try await bob.values("text", of: "Secret") == ["newer"])
            #expect(try await alice.secret(secret)["other"] == .string("of Bob"))
            #expect(try await bob.keyProblem(SharedVaults.name) == nil)
        }
    }

    @Test("a guest whose program knows no identities is told as one without a key, and gets none")
    func olderProgram() async throws {
        try await SharedVaults.run { vaults in
            let (alice, _, _, _) = try await vaults.club()
            var share = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
            share.publicPermission = .readWrite
            share = try await alice.sync.sharing.update(share)
            // With a key of its own, as every model with encrypted attributes needs.
            let older = try vaults.lists.guest(
                "dave", model: VaultModel.description, [.syncEncryptionKeys: try TestKeys("dave")])
            try await older.sync.sharing.accept(at: share.url)
            try await vaults.lists.scenario.sync(alice, older)
            let key = try await alice.sync.encryption.participantKeys(inZoneNamed: "Club").first {
                $0.userRecordName == "_dave"
            }
            #expect(key?.state == .missing)
            #expect(try await alice.keysDocument().recipients.map(\.user) == ["_alice", "_bob", "_carol"])
            let parked = try await older.sync.blocked.parkedRecords()
            #expect(parked.map(\.recordType) == ["Secret"], "the record of keys is none that anybody sees")
            await expectError(.invalidRequest) {
                _ = try await older.sync.encryption.participantKeys(inZoneNamed: SharedVaults.name)
            }
        }
    }

    @Test("a server that keeps no public keys is named, once, and nothing else suffers", arguments: [true, false])
    func withoutKeys(_ hasExtensions: Bool) async throws {
        try await SharedVaults.run { vaults in
            let scenario = vaults.lists.scenario, line = ForgetfulLine(scenario.server, hasExtensions: hasExtensions)
            let alice = try scenario.device(
                model: VaultModel.description,
                [
                    .syncWebAuthToken: SharedLists.token("alice"), .syncEncryptionKeys: try TestKeys("shared"),
                    .syncShareIdentity: vaults.identity("alice"),
                ], over: line)
            _ = try await alice.addSecret("hidden", inZone: "Club")
            try await alice.sync.sync()
            let share = try await alice.sync.sharing.share(zoneNamed: "Club", participants: [.bob])
            try await alice.sync.sync()
            let bob = try scenario.device(
                model: VaultModel.description,
                [
                    .syncWebAuthToken: SharedLists.token("bob"), .syncDatabase: "shared",
                    .syncEncryptionKeys: try TestKeys("shared"), .syncShareIdentity: vaults.identity("bob"),
                ], over: line)
            try await bob.sync.sharing.accept(at: share.url)
            for _ in 0..<2 { try await scenario.sync(alice, bob) }
            for (device, zone) in [(alice, "Club"), (bob, SharedVaults.name)] {
                #expect(try await device.keyProblem(zone)?.contains("keeps no public keys of participants") == true)
            }
            #expect(try await alice.sync.encryption.participantKeys(inZoneNamed: "Club").map(\.state) == [.missing])
            let before = line.acceptances
            for _ in 0..<3 { try await scenario.sync(alice, bob) }
            #expect(line.acceptances == before)
            _ = try await alice.add(["text": "in the main zone"], "Secret")
            #expect(try await alice.sync.sync().sent == 1)
        }
    }
}

/// The way to a server that knows nothing of public keys.
private final class ForgetfulLine: Transport {
    private let server: InlineTransport
    private let hasExtensions: Bool
    private let count = Locked(0)

    init(_ server: InlineTransport, hasExtensions: Bool) { (self.server, self.hasExtensions) = (server, hasExtensions) }

    /// How often a share was accepted.
    var acceptances: Int { count.withLock { $0 } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        if request.url.contains("records/accept") {
            count.withLock { $0 += 1 }
            let body = String(decoding: request.body, as: UTF8.self).replacing(/,"publicKey":"[^"]*"/, with: "")
            request.body = Array(body.utf8)
        }
        var response = try await server.send(request)
        if !hasExtensions { response.headers.removeAll { $0.name.lowercased().hasPrefix("x-backstitch") } }
        return response
    }
}

/// An identity, and those that it replaces.
private struct SeveralIdentities: ShareIdentityProvider {
    let all: [ShareIdentity]

    init(_ all: [ShareIdentity]) { self.all = all }

    func identities() -> [ShareIdentity] { all }
}

/// An identity that a test takes away.
private final class LosableIdentity: ShareIdentityProvider {
    struct Lost: Error {}

    let isLost = Locked(false)
    private let identity: ShareIdentity

    init(_ identity: ShareIdentity) { self.identity = identity }

    func identities() throws -> [ShareIdentity] {
        if isLost.withLock({ $0 }) { throw Lost() }
        return [identity]
    }
}
