import Backstitch
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("encrypted attributes in a zone of somebody else", .timeLimit(.minutes(3)))
struct SharedVaultTests {
    /// Alice's device with a secret in a zone that all may change, and Bob's, each with keys of its own.
    private func withVault(
        _ body: (SharedLists, _ alice: SyncDevice, TestKeys, _ bob: SyncDevice, TestKeys, ObjectID) async throws -> Void
    ) async throws {
        try await SharedLists.run { lists in
            let hers = try TestKeys("k1"), his = try TestKeys("k1"), model = VaultModel.description
            let alice = try lists.own("alice", model: model, [.syncEncryptionKeys: hers])
            try await alice.sync.zones.create(named: "Club")
            let id = try await alice.edit { context in
                let secret = try context.make("Secret", ["text": "hidden", "label": "plain"])
                try context.assign(secret, toZone: "Club")
                return secret.objectID
            }
            try await alice.sync.sync()
            let share = try await alice.sync.sharing.share(zoneNamed: "Club", publicPermission: .readWrite)
            let bob = try lists.guest("bob", nil, model: model, [.syncEncryptionKeys: his])
            try await bob.sync.sharing.accept(at: share.url)
            try await bob.sync.sync()
            #expect(try await bob.values("text", of: "Secret") == ["hidden"])
            try await body(lists, alice, hers, bob, his, id)
        }
    }

    private func allowReading(_ alice: SyncDevice) async throws {
        var share = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
        share.publicPermission = .readOnly
        _ = try await alice.sync.sharing.update(share)
    }

    @Test("who may only read encrypts nothing anew when a key is replaced, and asks for no right to it")
    func rotation() async throws {
        try await withVault { lists, alice, _, bob, his, _ in
            try await allowReading(alice)
            try await bob.sync.sync()
            try his.rotate(to: "k2", replacing: "k1")
            await lists.scenario.faults.clear()
            for _ in 0..<3 {
                let summary = try await bob.sync.sync()
                #expect(summary.reverted.isEmpty && summary.blocked.isEmpty && summary.sent == 0)
            }
            #expect(await !lists.scenario.faults.requests.contains("records/modify"))
        }
    }

    @Test("a change without a right stays, blocked, where the owner's record cannot be read in its place")
    func unreadable() async throws {
        try await withVault { _, alice, hers, bob, _, id in
            try await bob.set(id, ["label": "of Bob"])
            try hers.rotate(to: "k2", replacing: "k1")
            try await alice.set(id, ["text": "newer"])
            try await alice.sync.sync()
            try await allowReading(alice)
            let summary = try await bob.sync.sync()
            #expect(summary.reverted.isEmpty && summary.blocked.map(\.objectID) == [id])
            #expect(try await bob.values("label", of: "Secret") == ["of Bob"])
            #expect(try await bob.sync.blocked.parkedRecords().count == 1)
        }
    }
}
